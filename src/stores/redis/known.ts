import type { Kind } from "../../core/ports.js";
import { Recent } from "../../core/recent.js";
import type { Space } from "./keys.js";
import { versionOf } from "./rows.js";

/** So many of each space; the others are forgotten, and known again when they are read or named by the script. */
const MAX_KNOWN = 10_000;

/** A text by its name, and how it begins. */
export interface Beginning {
  readonly space: Space;
  readonly id: string;
  readonly line: string;
}

interface Belief {
  readonly line: string;
  /** The number of the group that would make it so; 0 for what was read. */
  readonly group: number;
}

/**
 * How the texts in Redis begin, as far as it is known here: their first line, empty for one that is not there. What was sent is
 * expected to be applied, so that the next group is judged and linked behind it before the answer is there. It may be wrong
 * at any time: the script compares, and what is wrong costs a second try.
 */
export class Known {
  readonly #spaces = new Map<Space, Recent<Belief>>();
  #groups = 0;
  #corrected = 0;

  /** What nobody asked for yet is taken for absent. */
  get(space: Space, id: string): string {
    return this.#belief(space, id)?.line ?? "";
  }

  /** What a group would leave behind. Gives a number by which `correct` knows when this was expected. */
  expect(texts: Iterable<Beginning>): number {
    const group = ++this.#groups;
    for (const { space, id, line } of texts) this.#set(space, id, { line, group });
    return group;
  }

  /**
   * How it was instead. Of groups that were expected one behind the other the first to fail tells it; what the others tell was
   * true before that one was tried again, and counts only where nobody expects anything else by now.
   */
  correct(group: number, texts: Iterable<Beginning>): void {
    const isFirst = group > this.#corrected;
    for (const { space, id, line } of texts) {
      if (isFirst || this.#belief(space, id)?.group === group) this.#set(space, id, { line, group: 0 });
    }
    if (isFirst) this.#corrected = this.#groups;
  }

  /** A record as it was read. The answer may be older than what this process has sent since. */
  read(kind: Kind, id: string, row: string): void {
    if (versionOf(row) <= versionOf(this.get(kind, id))) return;
    // Copied byte by byte: a part of a text holds all of it in memory.
    const line = Buffer.from(row.slice(0, row.indexOf("\n") + 1)).toString();
    this.#set(kind, id, { line, group: 0 });
  }

  #belief(space: Space, id: string): Belief | undefined {
    return this.#spaces.get(space)?.get(id);
  }

  #set(space: Space, id: string, belief: Belief): void {
    const beliefs = this.#spaces.get(space) ?? new Recent<Belief>(MAX_KNOWN);
    this.#spaces.set(space, beliefs);
    beliefs.put(id, belief);
  }
}
