import type { Kind } from "../../core/ports.js";
import { KIND_CODES, kindOf } from "../kind-codes.js";
import { SEPARATOR } from "./rows.js";

/**
 * The names of everything one store keeps. All share one hash tag, so that a script may touch them together. Lists are one
 * sorted set: a group then writes all of them by one command, however many lists its records are in.
 */
export class Keys {
  readonly #base: string;

  constructor(prefix: string) {
    this.#base = `{${prefix}}:`;
  }

  /** Generation, number of writes, fence: what tells this data from a copy of it. */
  get store(): string {
    return `${this.#base}store`;
  }

  /** A stream with every write, whose it was and to which heads it led: whoever waits looks at once, and whoever audits can follow. */
  get wake(): string {
    return `${this.#base}wake`;
  }

  get lists(): string {
    return `${this.#base}lists`;
  }

  due(kind: Kind): string {
    return `${this.#base}due:${kind}`;
  }

  /** The last checkpoint that was signed. */
  signed(workspaceId: string): string {
    return `${this.#base}signed:${workspaceId}`;
  }

  /** Entries by sequence number: a hash, because what is in a stream cannot be erased and stay in place. */
  chain(workspaceId: string): string {
    return `${this.#base}chain:${workspaceId}`;
  }

  text(space: Space, id: string): string {
    return `${this.#base}${space}:${id}`;
  }
}

/** What is kept as a text under a key of its own: records by kind, unique keys, counters, and the heads of workspaces. */
export type Space = Kind | "unique" | "count" | "head";

/** Members sort by list, then by id. */
export function memberOf(index: string, kind: Kind, id: string): string {
  return index + SEPARATOR + id + SEPARATOR + KIND_CODES[kind];
}

export function rangeAfter(index: string, after: string): readonly [from: string, to: string] {
  return [after === "" ? `[${index}\0` : `[${index}\0${after}\u0001`, `(${index}\u0001`];
}

export function rangeBefore(index: string, before: string): readonly [from: string, to: string] {
  return [before === "" ? `(${index}\u0001` : `(${index}\0${before}\0`, `[${index}\0`];
}

export function recordOf(member: string): { readonly kind: Kind; readonly id: string } {
  const [, id = "", code = ""] = member.split(SEPARATOR);
  return { kind: kindOf(code), id };
}
