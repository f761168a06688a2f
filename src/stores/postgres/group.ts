import { randomBytes } from "node:crypto";
import type { Applied, Change, Put, StoredRecord } from "../../core/ports.js";
import { KIND_CODES } from "../kind-codes.js";
import { packId } from "./ids.js";

/** Bytes of salt that each entry gets. */
export const SALT = 32;

/** What `commit_1` answers: one place per change; what stands in the way of a refused one by its place in the group. */
export interface Reply {
  readonly clock: number;
  readonly refused: readonly (Extract<Applied, { ok: false }>["refused"] | null)[];
  readonly time: readonly number[];
  readonly seq: readonly number[];
  readonly epoch: readonly number[];
  /** Number of the record, unique key or counter, from 1. */
  readonly at: readonly number[];
  readonly version: readonly number[];
  /** Number of the put of this very group that stands in the way; 0 for one that was stored before. */
  readonly put: readonly number[];
  readonly holder: readonly (string | null)[];
  readonly values: { readonly [record: string]: string } | null;
}

/** Gives each distinct name a number, from 1, in the order in which they come. */
class Numbers<T = string> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();

  of(name: string, what: T): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.all.push(what));
    return this.all.length;
  }
}

/**
 * A group in the form the server judges: every name once, and everything else as columns that point to the names. So the
 * server reads each row once and writes each table once, however many changes there are.
 */
export class Group {
  readonly #workspaces = new Numbers();
  readonly #records = new Numbers<Pick<Put, "kind" | "id">>();
  readonly #uniqueKeys = new Numbers();
  readonly #countKeys = new Numbers();
  readonly #puts: Put[] = [];
  readonly #text: string;
  /** Drawn here, because the server has no source of random bytes without an extension. */
  readonly salts: Buffer;

  constructor(changes: readonly Change[]) {
    const columns = newColumns();
    for (const change of changes) this.#add(columns, change);
    this.salts = randomBytes(SALT * columns.type.length);
    this.#text = JSON.stringify({
      workspaces: this.#workspaces.all,
      kinds: this.#records.all.map(({ kind }) => KIND_CODES[kind]),
      ids: this.#records.all.map(({ id }) => packId(id)),
      uniqueKeys: this.#uniqueKeys.all,
      countKeys: this.#countKeys.all,
      ...columns,
    });
  }

  /** For `json_to_record`. */
  toString(): string {
    return this.#text;
  }

  #add(columns: Columns, change: Change): void {
    const { workspaceId, changeId, before, after, epoch, tighten, paused } = change;
    columns.workspace.push(this.#workspaces.of(workspaceId, workspaceId));
    columns.change.push(packId(changeId));
    columns.before.push(before ?? null);
    columns.after.push(after ?? null);
    columns.epoch.push(epoch ?? null);
    columns.tighten.push(tighten === true || paused === true);
    columns.paused.push(paused ?? null);
    for (const put of change.puts) {
      columns.putRecord.push(this.#records.of(`${put.kind}/${put.id}`, put));
      columns.putVersion.push(put.version);
      columns.putValue.push(put.value === null ? null : put.value.toWellFormed());
      columns.putKeys.push(put.indexes === undefined || put.indexes.length === 0 ? null : arrayLiteral(put.indexes));
      columns.putDue.push(put.due ?? null);
      this.#puts.push(put);
    }
    for (const { key, id, until } of change.unique ?? []) {
      columns.uniqueKey.push(this.#uniqueKeys.of(key, key));
      columns.uniqueId.push(id);
      columns.uniqueUntil.push(until);
    }
    for (const { key, add, max, until = Number.MAX_SAFE_INTEGER } of change.counts ?? []) {
      columns.countKey.push(this.#countKeys.of(key, key));
      columns.countAdd.push(add);
      columns.countMax.push(max ?? null);
      columns.countUntil.push(until);
    }
    for (const { type, ref, content } of change.entries) {
      columns.type.push(type);
      columns.ref.push(ref === "" ? null : packId(ref));
      // Half a surrogate pair is no character in UTF-8; every store writes U+FFFD for it.
      columns.content.push(content.toWellFormed());
    }
    columns.putsEnd.push(columns.putRecord.length);
    columns.uniquesEnd.push(columns.uniqueKey.length);
    columns.countsEnd.push(columns.countKey.length);
    columns.entriesEnd.push(columns.type.length);
  }

  /** What became of the change at this place. */
  appliedAt(reply: Reply, index: number): Applied {
    const time = reply.time[index] as number;
    const epoch = reply.epoch[index] as number;
    const refused = reply.refused[index] ?? undefined;
    if (refused === undefined) return { ok: true, time, seq: reply.seq[index] as number, epoch };
    const at = (reply.at[index] as number) - 1;
    const answer = { ok: false as const, refused, time, epoch };
    switch (refused) {
      case "version": {
        const current = this.#currentOf(reply, index, at);
        return current === undefined ? answer : { ...answer, current };
      }
      case "taken":
        return { ...answer, key: this.#uniqueKeys.all[at] as string, holder: reply.holder[index] as string };
      case "limit":
        return { ...answer, key: this.#countKeys.all[at] as string };
      default:
        return answer;
    }
  }

  #currentOf(reply: Reply, index: number, at: number): StoredRecord | undefined {
    const version = reply.version[index] as number;
    if (version === 0) return undefined;
    const { kind, id } = this.#records.all[at] as Pick<Put, "kind" | "id">;
    const put = reply.put[index] as number;
    const value = put === 0 ? reply.values?.[at + 1] : this.#puts[put - 1]?.value;
    return { kind, id, version, value: value as string };
  }
}

function newColumns() {
  return {
    workspace: [] as number[],
    change: [] as string[],
    before: [] as (number | null)[],
    after: [] as (number | null)[],
    epoch: [] as (number | null)[],
    tighten: [] as boolean[],
    paused: [] as (boolean | null)[],
    putsEnd: [] as number[],
    uniquesEnd: [] as number[],
    countsEnd: [] as number[],
    entriesEnd: [] as number[],
    putRecord: [] as number[],
    putVersion: [] as number[],
    putValue: [] as (string | null)[],
    putKeys: [] as (string | null)[],
    putDue: [] as (number | null)[],
    uniqueKey: [] as number[],
    uniqueId: [] as string[],
    uniqueUntil: [] as number[],
    countKey: [] as number[],
    countAdd: [] as number[],
    countMax: [] as (number | null)[],
    countUntil: [] as number[],
    type: [] as string[],
    ref: [] as (string | null)[],
    content: [] as string[],
  };
}
type Columns = ReturnType<typeof newColumns>;

/** Postgres' own notation; JSON's escapes would be read as letters there. */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join()}}`;
}
