import type { Kind } from "../core/ports.js";

/** One letter each: the kind stands in every row, in every key of two tables and in every member of Redis's lists. */
export const KIND_CODES: Readonly<Record<Kind, string>> = {
  approval: "a",
  call: "c",
  lease: "l",
  grant: "g",
  setting: "s",
  denial: "d",
};

export function kindOf(code: string): Kind {
  return (Object.keys(KIND_CODES) as Kind[]).find((kind) => KIND_CODES[kind] === code) ?? "approval";
}
