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
  const announced = request.headers.get("content-length");
  if (Number(announced ?? 0) > MAX_BODY) throw tooLarge();
  // Node's parser holds a sender to the length it announced, and reading in one piece spares a web stream for each request.
  const bytes = announced === null ? await readCounting(request) : new Uint8Array(await request.arrayBuffer());
  if (bytes.length > MAX_BODY) throw tooLarge();
  return bytes;
}

/** Counted while it comes: without a length there is no other limit. */
async function readCounting(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
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
