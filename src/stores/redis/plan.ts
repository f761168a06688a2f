import type { Draft } from "./draft.js";
import { type Keys, memberOf } from "./keys.js";
import { pack } from "./pack.js";
import { headLine } from "./rows.js";
import type { RecordText, Text } from "./texts.js";

/** What the whole group is judged under. */
export interface Terms {
  readonly generation: string;
  /** The number of writes this process has seen acknowledged. */
  readonly known: number;
  readonly by: string;
  readonly now: number;
  /** Whether the server's clock counts, or the one that was handed over. */
  readonly server: boolean;
  /** The fence behind which open approvals are cancelled; everybody else is stopped by it. */
  readonly fence?: string;
}

/** Keys and arguments of the commit script. */
export interface Plan {
  readonly keys: readonly string[];
  readonly args: readonly string[];
  /** In the order in which the script names them by their place. */
  readonly texts: readonly Text[];
}

/** Puts a draft into the words of the script. */
export function planOf(draft: Draft, keys: Keys, terms: Terms): Plan {
  const { records, texts: all } = draft.finish();
  const { set, lent, gone, seen } = fatesOf(all);
  const texts = [...set, ...lent, ...gone, ...seen];
  const names = [keys.store, keys.wake];
  const args = texts.map(({ was }) => was);
  const writes: (readonly [command: string, key: number, args: number])[] = [];
  const write = (command: string, key: number, values: readonly string[]) => {
    if (values.length === 0) return;
    writes.push([command, key, values.length]);
    for (const value of values) args.push(value);
  };
  const windows: number[][] = [];
  const chains: number[][] = [];
  const heads: string[] = [];
  for (const [workspaceId, { start, head, entries, from, till }] of draft.workspaces) {
    windows.push([start.time, from, till]);
    if (entries.length === 0) continue;
    const chain = names.push(keys.chain(workspaceId));
    chains.push([chain, start.seq]);
    heads.push(`head:${workspaceId}`, headLine(head).trimEnd());
    write("HSET", chain, entries);
  }
  for (const [key, { joins, leaves }] of sortedOf(records, keys)) {
    const place = names.push(key);
    write("ZREM", place, leaves);
    write("ZADD", place, joins);
  }
  for (const { row } of set) args.push(row ?? "");
  for (const { row, life } of lent) args.push(row ?? "", String(life));
  const mirrored = records.filter((record) => record.mirrored !== undefined);
  const unmirrored = records.filter(
    ({ before, after }) => before.mirror !== undefined && before.mirror !== after.mirror,
  );
  const mirrors = [names.length, mirrored.length, unmirrored.length];
  for (const { after, mirrored: values = [] } of mirrored) {
    names.push(after.mirror ?? "");
    args.push(...values);
  }
  for (const { before } of unmirrored) names.push(before.mirror ?? "");
  for (const { space, id } of texts) names.push(keys.text(space, id));
  const plan = {
    ...terms,
    wrote: draft.isWriting,
    windows,
    chains,
    heads,
    writes,
    mirrors,
    args: args.length,
    texts: texts.length,
    set: set.length,
    lent: lent.length,
    gone: gone.length,
    wanted: draft.wanted.map(({ text }) => texts.indexOf(text) + 1),
  };
  return { keys: names, args: [JSON.stringify(plan), pack(args)], texts };
}

/** What becomes of each text: it is set, set for a while, removed, or was only looked at. */
function fatesOf(texts: readonly Text[]): Record<"set" | "lent" | "gone" | "seen", Text[]> {
  const fates = { set: [] as Text[], lent: [] as Text[], gone: [] as Text[], seen: [] as Text[] };
  for (const text of texts) {
    if (text.row === undefined) fates.seen.push(text);
    else if (text.row === null) fates.gone.push(text);
    else if (text.life === undefined) fates.set.push(text);
    else fates.lent.push(text);
  }
  return fates;
}

interface Sorted {
  /** Scores and members in turn. */
  readonly joins: string[];
  readonly leaves: string[];
}

/** Which lists and due times the records join and leave, by the key of the sorted set. */
function sortedOf(records: readonly RecordText[], keys: Keys): Map<string, Sorted> {
  const lists: Sorted = { joins: [], leaves: [] };
  const sorted = new Map([[keys.lists, lists]]);
  for (const { space: kind, id, before, after } of records) {
    if (before === after) continue;
    for (const index of before.indexes) {
      if (!after.indexes.includes(index)) lists.leaves.push(memberOf(index, kind, id));
    }
    for (const index of after.indexes) {
      if (!before.indexes.includes(index)) lists.joins.push("0", memberOf(index, kind, id));
    }
    if (before.due === after.due) continue;
    const key = keys.due(kind);
    const dues = sorted.get(key) ?? { joins: [], leaves: [] };
    sorted.set(key, dues);
    if (after.due === undefined) dues.leaves.push(id);
    else dues.joins.push(String(after.due), id);
  }
  return sorted;
}
