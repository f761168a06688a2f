import { contentHash, linkHash } from "../../core/audit.js";
import { randomPooled } from "../../core/ids.js";
import type { Change, Kind, Put } from "../../core/ports.js";
import { KIND_CODES } from "../kind-codes.js";
import type { Keys } from "./keys.js";
import type { Mirror } from "./mirror.js";
import { base64, contentRow, erasedRow, recordRow } from "./rows.js";
import type { Tip, Tips } from "./tips.js";

/** What an erasure does besides its entry. */
interface Removal {
  readonly contents: readonly { readonly seq: number; readonly contentHash: Uint8Array }[];
  readonly records: readonly { readonly kind: Kind; readonly id: string }[];
}

/** A change together with what only this store adds to it. */
export interface Step {
  readonly change: Change;
  readonly mirrors: readonly Mirror[];
  readonly removal?: Removal;
}

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
  /** The workspaces in the order in which the script answers with their heads, and where their chains end before and after. */
  readonly before: ReadonlyMap<string, Tip>;
  readonly after: ReadonlyMap<string, Tip>;
  /** Where each change with entries leaves its chain, if it and all before it are applied. */
  readonly tips: readonly (Tip | undefined)[];
}

/** Puts a group into the words of the script, its entries linked one after the other as if every change were applied. */
export function planOf(steps: readonly Step[], tips: Tips, keys: Keys, terms: Terms): Plan {
  const names = new Places([keys.store, keys.wake, keys.lists]);
  const texts: string[] = [];
  const text = (value: string) => texts.push(value) + 1;
  const links = new Map<string, Link>();
  const reached: (Tip | undefined)[] = [];
  const changes = steps.map(({ change, mirrors, removal }) => {
    const link = links.get(change.workspaceId) ?? newLink(links, change.workspaceId, tips, keys, names);
    const time = Math.max(terms.now, link.before.time);
    const entries = change.entries.map((entry, index) => {
      const { type, ref, content } = entry;
      const salt = randomPooled(32);
      const seq = link.tip.seq + 1;
      const hash = linkHash(link.tip.hash, { seq, time, type, ref }, contentHash(salt, content));
      link.tip = { seq, hash, time };
      // One entry is enough to find the change again.
      const id = index === change.entries.length - 1 ? change.changeId : "";
      return { seq, type, ref, change: id, hash: base64(hash), content: text(contentRow(salt, content)) };
    });
    reached.push(entries.length === 0 ? undefined : link.tip);
    const { before, after, epoch, tighten, paused } = change;
    // What is undefined or empty does not reach the script: there is a plan for every step of every call.
    return {
      workspace: link.place,
      before,
      after,
      epoch,
      raise: tighten || paused ? 1 : undefined,
      paused: paused === undefined ? undefined : paused ? "1" : "0",
      puts: some(change.puts, (put) => putOf(put, keys, names, text)),
      unique: some(change.unique, ({ key, id, until }) => {
        return { key: names.text(keys.unique(key)), name: key, id, till: until };
      }),
      counts: some(change.counts, ({ key, add, max, until = Number.MAX_SAFE_INTEGER }) => {
        return { key: names.text(keys.count(key)), name: key, add, max: maxOf(max), till: until };
      }),
      entries: entries.length === 0 ? undefined : entries,
      mirrors: some(mirrors, ({ key, ...rest }) => ({ key: names.of(key), ...rest })),
      erased: some(removal?.contents, (each) => ({ seq: each.seq, kept: erasedRow(each.contentHash) })),
      removed: some(removal?.records, ({ kind, id }) => targetOf(kind, id, keys, names)),
    };
  });
  const workspaces = [...links.values()].map(({ head, chain, contents, before }) => {
    // A chain without entries has no hash in Redis: where it starts follows from the workspace's name.
    return { head, chain, contents, hash: before.seq === 0 ? "" : base64(before.hash) };
  });
  const plan = JSON.stringify({ ...terms, workspaces, texts: names.texts, changes });
  const before = new Map([...links].map(([workspaceId, link]) => [workspaceId, link.before]));
  const after = new Map([...links].map(([workspaceId, link]) => [workspaceId, link.tip]));
  return { keys: names.all, args: [plan, ...texts], before, after, tips: reached };
}

function some<T, U>(items: readonly T[] | undefined, map: (item: T) => U): U[] | undefined {
  return items === undefined || items.length === 0 ? undefined : items.map(map);
}

interface Link {
  readonly place: number;
  readonly head: number;
  readonly chain: number;
  readonly contents: number;
  readonly before: Tip;
  tip: Tip;
}

function newLink(links: Map<string, Link>, workspaceId: string, tips: Tips, keys: Keys, names: Places): Link {
  const tip = tips.get(workspaceId);
  const link: Link = {
    place: links.size + 1,
    head: names.of(keys.head(workspaceId)),
    chain: names.of(keys.chain(workspaceId)),
    contents: names.of(keys.contents(workspaceId)),
    before: tip,
    tip,
  };
  links.set(workspaceId, link);
  return link;
}

function putOf(put: Put, keys: Keys, names: Places, text: (value: string) => number) {
  const { key, id, code, dues } = targetOf(put.kind, put.id, keys, names);
  // Its lists and due time stand in the row.
  const row = put.value === null ? undefined : text(recordRow(put));
  return { key, id, code, dues, version: put.version, row };
}

function targetOf(kind: Kind, id: string, keys: Keys, names: Places) {
  return { key: names.text(keys.record(kind, id)), id, code: KIND_CODES[kind], dues: names.of(keys.due(kind)) };
}

/** JSON has no infinity: no maximum at all, or one that nothing is under. */
function maxOf(max: number | undefined): number | undefined {
  return max === undefined || max === Number.POSITIVE_INFINITY ? undefined : Math.max(max, -Number.MAX_VALUE);
}

/** Keys by their place among all that the script is told of. */
class Places {
  readonly #places = new Map<string, number>();
  readonly texts: number[] = [];

  constructor(first: readonly string[]) {
    for (const key of first) this.of(key);
  }

  of(key: string): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.#places.size + 1);
    return this.#places.size;
  }

  /** The same for a key that holds a text: all of them are read before anything is judged. */
  text(key: string): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.of(key);
    this.texts.push(place);
    return place;
  }

  get all(): string[] {
    return [...this.#places.keys()];
  }
}
