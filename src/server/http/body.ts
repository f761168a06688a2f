import { CountersignError } from "../../core/errors.js";
import type { Json } from "../../core/json.js";
import { parseStrictJson } from "../../core/strict-json.js";
import type { Incoming } from "./incoming.js";

/** A call's arguments may have one megabyte; nothing else is nearly as large. */
export const MAX_BODY = 1_100_000;

/** Reads the body once, up to the limit, as JSON that no two readers understand differently. */
export async function readBody(request: Incoming): Promise<Json | undefined> {
  const bytes = await request.bytes(MAX_BODY);
  if (bytes.length === 0) return undefined;
  const type = request.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new CountersignError("invalid_request", "Send the body as application/json.", { path: "content-type" });
  }
  return parseStrictJson(bytes);
}
