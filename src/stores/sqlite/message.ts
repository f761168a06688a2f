import type { Change, Kind } from "../../core/ports.js";

/*
 * How a change travels to the writing thread. Threads copy objects property by property, each with its name; a list of plain
 * values takes the reading side a quarter of that time, and it is the reading side that everybody waits for.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- what comes out at a place is what went in there; both sides stand below.
type Values = readonly any[];

/** A change whose form is not the usual travels as it is, and is refused where all of them are judged. */
export type Message = readonly [head: Values, puts: Values, entries: Values, unique: Values, counts: Values] | Change;

export function messageOf(change: Change): Message {
  try {
    return listed(change);
  } catch {
    return change;
  }
}

function listed(change: Change): Message {
  const { changeId, workspaceId, before, after, epoch, tighten, paused } = change;
  const puts: unknown[] = [];
  for (const { kind, id, version, value, indexes, due } of change.puts)
    puts.push(kind, id, version, value, indexes, due);
  const entries: unknown[] = [];
  for (const { type, ref, content } of change.entries) entries.push(type, ref, content);
  const unique: unknown[] = [];
  for (const { key, id, until } of change.unique ?? []) unique.push(key, id, until);
  const counts: unknown[] = [];
  for (const { key, add, max, until } of change.counts ?? []) counts.push(key, add, max, until);
  return [[changeId, workspaceId, before, after, epoch, tighten, paused], puts, entries, unique, counts];
}

export function changeOf(message: Message): Change {
  if (!isListed(message)) return message;
  const [[changeId, workspaceId, before, after, epoch, tighten, paused], ...lists] = message;
  const [puts, entries, unique, counts] = lists;
  return {
    changeId,
    workspaceId,
    before,
    after,
    epoch,
    tighten,
    paused,
    puts: taken(puts, 6, (i) => ({
      kind: puts[i] as Kind,
      id: puts[i + 1],
      version: puts[i + 2],
      value: puts[i + 3],
      indexes: puts[i + 4],
      due: puts[i + 5],
    })),
    entries: taken(entries, 3, (i) => ({ type: entries[i], ref: entries[i + 1], content: entries[i + 2] })),
    unique: taken(unique, 3, (i) => ({ key: unique[i], id: unique[i + 1], until: unique[i + 2] })),
    counts: taken(counts, 4, (i) => ({
      key: counts[i],
      add: counts[i + 1],
      max: counts[i + 2],
      until: counts[i + 3],
    })),
  };
}

function isListed(message: Message): message is Exclude<Message, Change> {
  return Array.isArray(message);
}

function taken<T>(values: Values, width: number, at: (index: number) => T): T[] {
  const items: T[] = [];
  for (let index = 0; index < values.length; index += width) items.push(at(index));
  return items;
}
