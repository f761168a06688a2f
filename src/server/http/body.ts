import { CountersignError } from "../../core/errors.js";
import type { Json } from "../../core/json.js";
import { parseStrictJson } from "../../core/strict-json.js";

/** A call's arguments may have one megabyte; nothing else is nearly as large. */
const MAX_BODY = 1_100_000;

/** Reads the body once, up to the limit, as JSON that no two readers understand differently. */
export async function readBody(request: Request): Promise<Json | undefined> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new CountersignError("invalid_request", "Send the body as application/json.", { path: "content-type" });
  }
  return parseStrictJson(bytes);
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Counted while it comes: a length that was announced, or not, is only what the sender says.
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BODY) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): CountersignError {
  return new CountersignError("too_large", `A request has at most ${MAX_BODY} bytes.`);
}
