import { type Json, toPlainJson } from "./json.js";

/** A longer result is handed over but not kept. */
export const MAX_RESULT = 1 << 20;

/** Results are other people's values: what JSON cannot say, or nobody would read, is handed over and not reported. */
export function reportedResult(value: unknown): { readonly result?: Json } {
  try {
    const text = JSON.stringify(value);
    return text === undefined || text.length > MAX_RESULT ? {} : { result: toPlainJson(JSON.parse(text)) };
  } catch {
    return {};
  }
}
