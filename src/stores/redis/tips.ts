import type { Head } from "../../core/ports.js";
import { emptyHead } from "../apply.js";

/** The part of a head that entries are linked to. */
export type Tip = Pick<Head, "seq" | "hash" | "time">;

/** So many are known here; of those used longest ago it is forgotten where they end. */
const MAX_TIPS = 10_000;

/**
 * Where each chain ends, as far as it is known here, so that a commit needs no question first. What was sent is expected to be
 * applied, so that the next group is linked behind it before the answer is there. The script compares: a wrong one costs a
 * second try.
 */
export class Tips {
  readonly #tips = new Map<string, Tip>();
  #corrections = 0;

  /** One that nobody asked for yet is taken for the start of an empty chain. */
  get(workspaceId: string): Tip {
    const known = this.#tips.get(workspaceId) ?? emptyHead(workspaceId);
    this.#set(workspaceId, known);
    return known;
  }

  /** Gives a number by which `correct` knows when this was expected. */
  expect(tips: ReadonlyMap<string, Tip>): number {
    for (const [workspaceId, tip] of tips) this.#set(workspaceId, tip);
    return this.#corrections;
  }

  /** Of groups that were expected one behind the other the first to fail tells where the chain ends; the others failed with it. */
  correct(expected: number, tips: ReadonlyMap<string, Tip>): void {
    if (expected !== this.#corrections) return;
    this.#corrections++;
    for (const [workspaceId, tip] of tips) this.#set(workspaceId, tip);
  }

  #set(workspaceId: string, tip: Tip): void {
    // The one used last goes last, so that the first is the one to forget.
    this.#tips.delete(workspaceId);
    this.#tips.set(workspaceId, tip);
    const [oldest] = this.#tips.keys();
    if (this.#tips.size > MAX_TIPS && oldest !== undefined) this.#tips.delete(oldest);
  }
}
