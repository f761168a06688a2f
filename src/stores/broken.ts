import type { Change } from "../core/ports.js";
import { isStorable } from "../core/storable.js";

/**
 * What is wrong with the change itself. A broken change must fail before it touches anything, and alone; and a number that is
 * none would make every later comparison false, so that a limit or deadline would never refuse again.
 */
export function problemOf(change: Change): string | undefined {
  const { changeId, workspaceId, puts, entries, before = 0, after = 0 } = change;
  if (!isName(changeId) || !isName(workspaceId)) return "A change needs an id and a workspace.";
  if (!Number.isSafeInteger(before) || !Number.isSafeInteger(after))
    return "A change's limits of time are whole milliseconds.";
  if (!Array.isArray(puts) || !Array.isArray(entries)) return "A change needs its puts and entries as lists.";
  return problemOfPuts(puts) ?? problemOfEntries(entries) ?? problemOfKeys(change);
}

function problemOfPuts(puts: Change["puts"]): string | undefined {
  for (const { id, version, value, indexes = [], due = 0 } of puts) {
    if (!isName(id)) return "A put needs an id, without NUL characters and half surrogate pairs.";
    if (!Number.isSafeInteger(version) || version < 0) return "A put needs the version it replaces.";
    if (value !== null && !isText(value))
      return "A put's value is text without NUL characters, or null to remove the record.";
    if (!indexes.every(isStorable)) return "A put's indexes are text without NUL characters and half surrogate pairs.";
    if (!Number.isSafeInteger(due) || due < 0) return "A put's due time is in whole milliseconds.";
  }
  if (puts.length < 2) return undefined;
  const records = new Set(puts.map((put) => `${put.kind}/${put.id}`));
  return records.size === puts.length ? undefined : "A change may put each record once.";
}

function problemOfEntries(entries: Change["entries"]): string | undefined {
  for (const { type, ref, content } of entries) {
    if (!isName(type) || !isStorable(ref) || !isText(content))
      return "An entry needs a type, a reference or an empty one, and its content, as text without NUL characters.";
  }
  return undefined;
}

function problemOfKeys({ unique = [], counts = [] }: Change): string | undefined {
  for (const { key, id, until } of unique) {
    if (!isStorable(key) || !isName(id)) return "A unique key needs its text and an id, without NUL characters.";
    if (!Number.isSafeInteger(until)) return "A key is held until a time in whole milliseconds.";
  }
  for (const { key, add, max = 0, until = 0 } of counts) {
    if (!isStorable(key)) return "A counter needs its key, without NUL characters.";
    if (!Number.isSafeInteger(add) || !Number.isSafeInteger(until) || Number.isNaN(max))
      return "A counter counts whole numbers until a time in whole milliseconds.";
  }
  // Each is judged against what stands in the store, so that a second one would not see the first.
  const taken = unique.filter(({ until }) => until > 0);
  for (const keys of [taken, counts]) {
    if (keys.length > 1 && new Set(keys.map(({ key }) => key)).size !== keys.length)
      return "A change may name each key once.";
  }
  return undefined;
}

function isName(value: unknown): boolean {
  return value !== "" && isStorable(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && !value.includes("\0");
}
