import { randomBytes } from "node:crypto";
import type { Applied, Change, Put } from "../../core/ports.js";
import { KIND_CODES } from "../kind-codes.js";
import { Column } from "./column.js";
import { arrayLiteral, SALT } from "./group.js";
import { Totals } from "./totals.js";
import { WHOLE_COLUMNS } from "./whole-function.js";

/** What `commit_whole_2` answers: the heads as they stood before, one place per workspace. */
export interface WholeReply {
  readonly clock: number;
  readonly time: number;
  readonly seq: readonly number[];
  readonly epoch: readonly number[];
}

/** Where a change's workspace stands in the group, and how many entries the group has for it up to this change. */
interface Place {
  readonly workspace: number;
  readonly entries: number;
}

type Columns = { readonly [name in keyof typeof WHOLE_COLUMNS]: Column };

/**
 * A group in the form in which the server judges it all at once: what is wanted of each row, whichever change wants it. That
 * takes changes that do not meet but at counters, which add up. Nothing is judged here.
 */
export class Whole {
  readonly #columns = newColumns();
  readonly #places: Place[] = [];
  readonly #records = new Set<string>();
  readonly #uniqueKeys = new Set<string>();
  readonly #totals = new Totals();
  #before = Number.MAX_SAFE_INTEGER;
  #after = Number.MIN_SAFE_INTEGER;
  #entries = 0;

  private constructor() {}

  /** Undefined where changes meet, or one of them does what is rare: those are judged one by one. */
  static of(changes: readonly Change[]): Whole | undefined {
    const whole = new Whole();
    // Workspaces meet at nothing but counters, so that otherwise the changes of each may follow each other.
    const byWorkspace = new Map<string, number[]>();
    for (const [index, change] of changes.entries()) {
      if (!whole.#totals.add(change)) return undefined;
      const known = byWorkspace.get(change.workspaceId);
      if (known === undefined) byWorkspace.set(change.workspaceId, [index]);
      else known.push(index);
    }
    for (const indexes of byWorkspace.values()) if (!whole.#addWorkspace(changes, indexes)) return undefined;
    return whole.#addTotals() ? whole : undefined;
  }

  /** Parameters of `commit_whole_2`. */
  parameters(now: number | null, strict: boolean): unknown[] {
    // Drawn here, because the server has no source of random bytes without an extension.
    const salts = randomBytes(SALT * this.#entries);
    const columns = Object.values(this.#columns).map((column) => column.done());
    return [now, strict, this.#before, this.#after, salts, ...columns];
  }

  /** In the order in which the changes came. */
  applied({ time, seq, epoch }: WholeReply): readonly Applied[] {
    return this.#places.map(({ workspace, entries }) => ({
      ok: true,
      time,
      seq: (seq[workspace] as number) + entries,
      epoch: epoch[workspace] as number,
    }));
  }

  #addWorkspace(changes: readonly Change[], indexes: readonly number[]): boolean {
    const { workspaces, epochs, entriesEnd } = this.#columns;
    const workspace = workspaces.length;
    const start = this.#entries;
    let expected: number | undefined;
    for (const index of indexes) {
      const change = changes[index] as Change;
      expected ??= change.epoch;
      if (change.epoch !== undefined && change.epoch !== expected) return false;
      if (!this.#addConditions(change)) return false;
      for (const put of change.puts) if (!this.#addPut(put)) return false;
      this.#addEntries(change, workspace + 1);
      this.#places[index] = { workspace, entries: this.#entries - start };
    }
    workspaces.text((changes[indexes[0] as number] as Change).workspaceId);
    epochs.bigint(expected);
    entriesEnd.int(this.#entries);
    return true;
  }

  #addConditions({ before, after, tighten, paused, unique = [] }: Change): boolean {
    if (tighten === true || paused !== undefined) return false;
    if (before !== undefined && before < this.#before) this.#before = before;
    if (after !== undefined && after > this.#after) this.#after = after;
    const { takenKeys, takenIds, takenUntils, freedKeys, freedIds } = this.#columns;
    for (const { key, id, until } of unique) {
      if (this.#uniqueKeys.has(key)) return false;
      this.#uniqueKeys.add(key);
      const isTaken = until > 0;
      (isTaken ? takenKeys : freedKeys).text(key);
      (isTaken ? takenIds : freedIds).text(id);
      if (isTaken) takenUntils.bigint(until);
    }
    return true;
  }

  #addPut({ kind, id, version, value, indexes = [], due }: Put): boolean {
    const name = `${kind}/${id}`;
    if (value === null || this.#records.has(name)) return false;
    // A list holds a record once, however often its put names the list.
    if (indexes.some((key, i) => indexes.indexOf(key) < i)) return false;
    this.#records.add(name);
    const columns = this.#columns;
    const isNew = version === 0;
    (isNew ? columns.newIds : columns.ids).id(id);
    (isNew ? columns.newKinds : columns.kinds).text(KIND_CODES[kind]);
    (isNew ? columns.newValues : columns.values).text(value);
    (isNew ? columns.newKeys : columns.keys).text(indexes.length === 0 ? undefined : arrayLiteral(indexes));
    (isNew ? columns.newDues : columns.dues).bigint(due);
    if (!isNew) columns.versions.bigint(version);
    return true;
  }

  #addEntries({ changeId, entries }: Change, workspace: number): void {
    const { types, refs, headers, contents, changes, entryWorkspaces } = this.#columns;
    for (const [i, { type, ref, content }] of entries.entries()) {
      types.text(type);
      refs.id(ref === "" ? undefined : ref);
      headers.counted(`${type}\n${ref}`);
      contents.text(content);
      changes.id(i < entries.length - 1 ? undefined : changeId);
      entryWorkspaces.int(workspace);
    }
    this.#entries += entries.length;
  }

  #addTotals(): boolean {
    const sums = this.#totals.sums();
    const { countKeys, countAdds, countRooms, countUntils } = this.#columns;
    for (const { key, add, room, until } of sums ?? []) {
      countKeys.text(key);
      countAdds.bigint(add);
      countRooms.bigint(room);
      countUntils.bigint(until);
    }
    return sums !== undefined;
  }
}

function newColumns(): Columns {
  const columns = Object.entries(WHOLE_COLUMNS).map(([name, type]) => [name, new Column(type)]);
  return Object.fromEntries(columns) as Columns;
}
