import { type Approval, stateAt } from "../core/approval.js";
import { loadApproval } from "../core/engine.js";
import type { DeskContext } from "./desk-context.js";
import { refresh } from "./refresh.js";
import { Rounds } from "./rounds.js";
import { route } from "./routing.js";

const PAGE = 200;
/** How often the chains are looked at although nobody said that they grew. Correctness rests on this alone. */
const LOOK_EVERY = 1_000;
const SWEEP_EVERY = 3_600_000;
/** What ended longer ago is not answered any more, also by the slowest redelivery. */
const KEPT = 7 * 86_400_000;

/** Follows the chains of all workspaces: new questions are routed to chats, and what ended is redrawn where it stood. */
export class Follower {
  readonly #context: DeskContext;
  readonly #workspaces: () => Promise<readonly string[]>;
  readonly #stopWatching: () => void;
  readonly #rounds: Rounds;
  #sweptAt: number;

  constructor(context: DeskContext, workspaces: () => Promise<readonly string[]>) {
    this.#context = context;
    this.#workspaces = workspaces;
    this.#sweptAt = context.clock.now();
    this.#rounds = new Rounds({
      clock: context.clock,
      every: LOOK_EVERY,
      round: () => this.#read(),
      failed: (error) => context.notice("channel.follow_failed", { why: error.message }),
    });
    this.#stopWatching = context.gate.watch(() => this.look());
  }

  /** Reads on; a look under way is followed by another. */
  look(): void {
    this.#rounds.hurry();
  }

  close(): Promise<void> {
    this.#stopWatching();
    return this.#rounds.close();
  }

  async #read(): Promise<void> {
    const { book, clock } = this.#context;
    for (const workspaceId of await this.#workspaces()) await this.#readOne(workspaceId);
    const now = clock.now();
    if (now - this.#sweptAt < SWEEP_EVERY) return;
    this.#sweptAt = now;
    await book.sweep(now, now - KEPT);
  }

  async #readOne(workspaceId: string): Promise<void> {
    const { gate, book } = this.#context;
    const known = await book.cursor(workspaceId);
    // A chain that was never followed begins now: nobody is told of what is long over.
    let cursor = known ?? (await gate.head(workspaceId)).seq;
    if (known === undefined) await book.moveCursor(workspaceId, cursor);
    for (;;) {
      const entries = await gate.entries(workspaceId, cursor, PAGE);
      if (entries.length === 0) return;
      const spoken = new Set(entries.map(({ ref }) => ref).filter((ref) => ref !== ""));
      for (const approvalId of spoken) {
        const approval = await loadApproval({ store: gate.store }, approvalId);
        if (approval !== undefined) await this.#follow(approval);
      }
      cursor = entries.at(-1)?.seq ?? cursor;
      await book.moveCursor(workspaceId, cursor);
    }
  }

  /** By what stands now, not by what an entry said: however late or often it is read, the chats come to show the truth. */
  async #follow(approval: Approval): Promise<void> {
    if (stateAt(approval, this.#context.gate.store.time()) === "pending") await route(this.#context, approval);
    await refresh(this.#context, approval);
  }
}
