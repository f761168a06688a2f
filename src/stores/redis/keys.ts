import type { Kind } from "../../core/ports.js";
import { kindOf } from "../kind-codes.js";

/**
 * The names of everything one store keeps. All share one hash tag, so that a script may touch them together. Lists are one
 * sorted set: which lists a record is in is known only inside the script, and a script names its keys before it runs.
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

  /** One stream entry for each write, so that whoever waits looks at once. */
  get wake(): string {
    return `${this.#base}wake`;
  }

  get lists(): string {
    return `${this.#base}lists`;
  }

  due(kind: Kind): string {
    return `${this.#base}due:${kind}`;
  }

  head(workspaceId: string): string {
    return `${this.#base}head:${workspaceId}`;
  }

  /** The audit stream: one entry a link, its id the sequence number. */
  chain(workspaceId: string): string {
    return `${this.#base}chain:${workspaceId}`;
  }

  /** Salt and content by sequence number, beside the stream, because what is in a stream cannot be erased and stay in place. */
  contents(workspaceId: string): string {
    return `${this.#base}contents:${workspaceId}`;
  }

  record(kind: Kind, id: string): string {
    return `${this.#base}${kind}:${id}`;
  }

  unique(key: string): string {
    return `${this.#base}unique:${key}`;
  }

  count(key: string): string {
    return `${this.#base}count:${key}`;
  }
}

/** Members sort by list, then by id. NUL separates, because neither may hold it. */
export function rangeAfter(index: string, after: string): readonly [from: string, to: string] {
  return [after === "" ? `[${index}\0` : `[${index}\0${after}\u0001`, `(${index}\u0001`];
}

export function rangeBefore(index: string, before: string): readonly [from: string, to: string] {
  return [before === "" ? `(${index}\u0001` : `(${index}\0${before}\0`, `[${index}\0`];
}

export function recordOf(member: string): { readonly kind: Kind; readonly id: string } {
  const [, id = "", code = ""] = member.split("\0");
  return { kind: kindOf(code), id };
}
