import type { Located } from "./located.js";
import { type Problems } from "./problem.js";
import { didYouMean } from "./suggest.js";

/** Reads one located value; adds to the problems and gives nothing when it is not what was expected. */
export type Shape<Value> = (node: Located, problems: Problems) => Value | undefined;

type Fields<Value> = { readonly [Key in keyof Value]-?: Shape<Exclude<Value[Key], undefined>> };

/** A map with known keys. An unknown one is a typo until proven otherwise, so it is refused and not passed over. */
export function map<Value extends object>(
  fields: Fields<Value>,
  required: readonly (keyof Value & string)[],
): Shape<Value> {
  const known = Object.keys(fields);
  return (node, problems) => {
    if (node.kind !== "map") return wrong(node, problems, `a map with ${listed(known)}`);
    const value: Record<string, unknown> = {};
    for (const { key, place, value: inner } of node.entries) {
      if (!known.includes(key)) {
        problems.add(
          place,
          `The key "${key}" is not known here.`,
          didYouMean(key, known) ?? `Known are ${listed(known)}.`,
        );
        continue;
      }
      const read = (fields as Record<string, Shape<unknown>>)[key]?.(inner, problems);
      if (read !== undefined) value[key] = read;
    }
    const missing = required.filter((key) => !node.entries.some((entry) => entry.key === key));
    for (const key of missing) problems.add(node, `The key "${key}" is missing.`);
    return value as Value;
  };
}

/** A map with keys of the author's choice. */
export function dictionary<Value>(shape: Shape<Value>): Shape<Readonly<Record<string, Value>>> {
  return (node, problems) => {
    if (node.kind !== "map") return wrong(node, problems, "a map");
    const read = node.entries.map(({ key, value }) => [key, shape(value, problems)] as const);
    return Object.fromEntries(read.filter((entry): entry is readonly [string, Value & {}] => entry[1] !== undefined));
  };
}

/** A list that is not empty: an empty one reads as "all" to some and as "none" to others. */
export function list<Value>(shape: Shape<Value>, what: string): Shape<readonly Value[]> {
  return (node, problems) => {
    if (node.kind !== "list") return wrong(node, problems, `a list of ${what}`);
    if (node.items.length === 0) return wrong(node, problems, `a list of ${what} that is not empty`);
    return node.items.map((item) => shape(item, problems)).filter((item) => item !== undefined);
  };
}

export const text: Shape<string> = (node, problems) =>
  node.kind === "scalar" && typeof node.value === "string" && node.value.trim() !== ""
    ? node.value
    : wrong(node, problems, "a text that is not empty");

export const flag: Shape<boolean> = (node, problems) =>
  node.kind === "scalar" && typeof node.value === "boolean" ? node.value : wrong(node, problems, "true or false");

export function oneOf<const Word extends string>(words: readonly Word[]): Shape<Word> {
  return (node, problems) => {
    if (node.kind === "scalar" && words.includes(node.value as Word)) return node.value as Word;
    const hint = node.kind === "scalar" ? didYouMean(String(node.value), words) : undefined;
    return wrong(node, problems, listed(words, "or"), hint);
  };
}

export function number(what: string, fits: (value: number) => boolean): Shape<number> {
  return (node, problems) =>
    node.kind === "scalar" && typeof node.value === "number" && fits(node.value)
      ? node.value
      : wrong(node, problems, what);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST = 366 * 86_400_000;

/** Milliseconds. */
export const duration: Shape<number> = (node, problems) => {
  const written = node.kind === "scalar" ? node.value : undefined;
  const parts = typeof written === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(written) : undefined;
  const value = typeof written === "number" ? written : Number(parts?.[1]) * (UNITS[parts?.[2] ?? ""] ?? Number.NaN);
  if (value >= 1 && value <= LONGEST) return Math.round(value);
  return wrong(
    node,
    problems,
    "a duration up to a year",
    'Write milliseconds, or a number with ms, s, m, h or d: "5m".',
  );
};

function wrong(node: Located, problems: Problems, expected: string, suggestion?: string): undefined {
  problems.add(node, `Expected ${expected}, found ${described(node)}.`, suggestion);
  return undefined;
}

function described(node: Located): string {
  if (node.kind !== "scalar") return node.kind === "list" ? "a list" : "a map";
  if (node.value === null) return "nothing";
  const written = JSON.stringify(node.value);
  return written.length > 40 ? `${written.slice(0, 40)}…` : written;
}

export function listed(words: readonly string[], last = "and"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
