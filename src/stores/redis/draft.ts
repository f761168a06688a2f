import type { Applied, Change, Entry, Head, Kind, Put, StoredRecord } from "../../core/ports.js";
import { applyGroup, type Tables } from "../apply.js";
import type { Space } from "./keys.js";
import type { Known } from "./known.js";
import { mirrorOf } from "./mirror.js";
import {
  countLine,
  entryRow,
  headLine,
  NOTHING,
  parseLine,
  recordLine,
  toCount,
  toHead,
  toRecord,
  toUnique,
  uniqueLine,
  versionOf,
} from "./rows.js";
import type { CountText, RecordText, Text, Wanted, Workspace } from "./texts.js";

/** A change, or an erasure: the entries that take the place of others, and the records that go. */
export interface Step {
  readonly change: Change;
  readonly erased?: ReadonlyMap<number, string>;
  readonly removed?: readonly { readonly kind: Kind; readonly id: string }[];
}

/** How long a key outlives its own time. It is only swept away by then; whether it counts is judged by the time it holds. */
const SLACK = 3_600_000;
const LONGEST = 315_360_000_000;

/**
 * A group as it would go if everything is as it is known here: judged and linked by the rules of every store, and what would have
 * to be written. It holds nothing that may be acted on before the script has compared every text that was looked at.
 */
export class Draft implements Tables {
  readonly workspaces = new Map<string, Workspace>();
  readonly wanted: Wanted[] = [];
  isWriting = false;
  readonly #known: Known;
  readonly #now: number;
  readonly #isMirrored: boolean;
  readonly #records = new Map<Kind, Map<string, RecordText>>();
  readonly #unique = new Map<string, Text>();
  readonly #counts = new Map<string, CountText>();
  #change: Change | undefined;
  /** Times that stand in Redis, with which the change at hand was compared. */
  readonly #moments: number[] = [];

  constructor(known: Known, now: number, isMirrored: boolean) {
    this.#known = known;
    this.#now = now;
    this.#isMirrored = isMirrored;
  }

  apply({ change, erased, removed = [] }: Step): Applied {
    this.#change = change;
    this.#moments.length = 0;
    const [applied] = applyGroup(this, [change], () => this.#now) as [Applied];
    // A broken change is answered before anything is looked at.
    if (!applied.ok && applied.refused === "broken") return applied;
    const workspace = this.#workspace(change.workspaceId);
    this.#narrow(workspace, change, applied.time);
    if (!applied.ok) return applied;
    this.isWriting = true;
    for (const [seq, row] of erased ?? []) workspace.entries.push(String(seq), row);
    for (const { kind, id } of removed) remove(this.#record(kind, id));
    return applied;
  }

  /** Everything that was looked at, as it is to be once every change is judged. */
  finish(): { readonly records: readonly RecordText[]; readonly texts: readonly Text[] } {
    const records = [...this.#records.values()].flatMap((texts) => [...texts.values()]);
    const texts: Text[] = [...records, ...this.#unique.values()];
    for (const { text, start, head } of this.workspaces.values()) {
      if (head !== start) write(text, headLine(head));
      texts.push(text);
    }
    for (const text of this.#counts.values()) {
      const { count } = text;
      if (count !== undefined) write(text, count.value === 0 ? "" : countLine(count), this.#life(count.until));
      texts.push(text);
    }
    return { records, texts };
  }

  head(workspaceId: string): Head {
    return this.#workspace(workspaceId).head;
  }

  setHead(head: Head): void {
    this.#workspace(head.workspaceId).head = head;
  }

  record(kind: Kind, id: string): StoredRecord | undefined {
    const text = this.#record(kind, id);
    if (text.line === "") return undefined;
    if (typeof text.row === "string") return toRecord(kind, id, text.row);
    const record = { kind, id, version: versionOf(text.line), value: "" };
    this.wanted.push({ text, record });
    return record;
  }

  version(kind: Kind, id: string): number {
    return versionOf(this.#record(kind, id).line);
  }

  put(put: Put): void {
    const text = this.#record(put.kind, put.id);
    if (put.value === null) return remove(text);
    // A question begins to wait when it is new, or never.
    const mayWait = this.#isMirrored && (put.version === 0 || text.after.mirror !== undefined);
    const mirror = mayWait ? mirrorOf(put, this.#change as Change, this.#now) : undefined;
    text.after = { due: put.due, indexes: put.indexes ?? [], mirror: mirror?.key };
    text.mirrored = mirror?.texts;
    text.line = recordLine(put.version + 1, text.after);
    text.row = text.line + put.value;
  }

  unique(key: string): ReturnType<typeof toUnique> | undefined {
    const { line } = this.#uniqueText(key);
    if (line === "") return undefined;
    const held = toUnique(line);
    this.#moments.push(held.until);
    return held;
  }

  setUnique(key: string, id: string, until: number): void {
    write(this.#uniqueText(key), until <= 0 ? "" : uniqueLine(id, until), this.#life(until));
  }

  count(key: string): CountText["count"] {
    const { line, count = line === "" ? undefined : toCount(line) } = this.#countText(key);
    if (count !== undefined) this.#moments.push(count.until);
    return count;
  }

  setCount(key: string, value: number, until: number): void {
    this.#countText(key).count = { value, until };
  }

  append(entry: Entry, changeId: string | undefined): void {
    this.#workspace(entry.workspaceId).entries.push(String(entry.seq), entryRow(entry, changeId));
  }

  #workspace(workspaceId: string): Workspace {
    const known = this.workspaces.get(workspaceId);
    if (known !== undefined) return known;
    const text = this.#text("head", workspaceId);
    const start = toHead(workspaceId, text.line);
    const workspace = { text, start, head: start, entries: [], from: 0, till: Number.MAX_SAFE_INTEGER };
    this.workspaces.set(workspaceId, workspace);
    return workspace;
  }

  #record(kind: Kind, id: string): RecordText {
    const records = this.#records.get(kind) ?? new Map<string, RecordText>();
    const known = records.get(id);
    if (known !== undefined) return known;
    const was = this.#known.get(kind, id);
    const before = was === "" ? NOTHING : parseLine(was);
    const record: RecordText = {
      space: kind,
      id,
      was,
      line: was,
      row: undefined,
      life: undefined,
      before,
      after: before,
      mirrored: undefined,
    };
    this.#records.set(kind, records.set(id, record));
    return record;
  }

  #uniqueText(key: string): Text {
    const text = this.#unique.get(key) ?? this.#text("unique", key);
    this.#unique.set(key, text);
    return text;
  }

  #countText(key: string): CountText {
    const text = this.#counts.get(key) ?? { count: undefined, ...this.#text("count", key) };
    this.#counts.set(key, text);
    return text;
  }

  #text<S extends Space>(space: S, id: string): Text & { readonly space: S } {
    const was = this.#known.get(space, id);
    return { space, id, was, line: was, row: undefined, life: undefined };
  }

  /** Another time gives the same answer as long as it lies on the same side of everything it is compared with. */
  #narrow(workspace: Workspace, { before, after, unique = [] }: Change, time: number): void {
    const compare = (moment: number) => {
      if (moment <= time) workspace.from = Math.max(workspace.from, moment);
      else workspace.till = Math.min(workspace.till, moment);
    };
    if (before !== undefined) compare(before);
    if (after !== undefined) compare(after);
    for (const { until } of unique) compare(until);
    for (const moment of this.#moments) compare(moment);
  }

  #life(until: number): number | undefined {
    const rest = until - this.#now + SLACK;
    return rest <= LONGEST ? Math.max(rest, SLACK) : undefined;
  }
}

/** A text that is its line alone; an empty one goes. */
function write(text: Text, line: string, life?: number): void {
  text.line = line;
  text.row = line === "" ? null : line;
  text.life = life;
}

function remove(text: RecordText): void {
  text.line = "";
  text.row = null;
  text.after = NOTHING;
  text.mirrored = undefined;
}
