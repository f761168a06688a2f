import type { Grouper } from "./grouper.js";
import { newId } from "./ids.js";
import type { Clock, NewEntry, Notice } from "./ports.js";

/** Well within the second that reads are promised to be recorded in. */
const FLUSH_AFTER = 200;
const FLUSH_AT = 500;

/** Plain allowed reads are written together, shortly after they ran: a durable write each would cost more than the read. */
export class ReadLog {
  readonly #grouper: Grouper;
  readonly #clock: Clock;
  readonly #notice: Notice;
  #waiting = new Map<string, NewEntry[]>();
  #count = 0;
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(grouper: Grouper, clock: Clock, notice: Notice) {
    this.#grouper = grouper;
    this.#clock = clock;
    this.#notice = notice;
  }

  add(workspaceId: string, entry: NewEntry): void {
    const entries = this.#waiting.get(workspaceId);
    if (entries === undefined) this.#waiting.set(workspaceId, [entry]);
    else entries.push(entry);
    if (++this.#count >= FLUSH_AT) void this.flush();
    else this.#cancelTimer ??= this.#clock.timer(FLUSH_AFTER, () => void this.flush(), true);
  }

  /** Resolves when everything added so far is written, also what an earlier flush is still writing. */
  async flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const waiting = [...this.#waiting];
    this.#waiting = new Map();
    this.#count = 0;
    this.#writing = Promise.all([this.#writing, this.#write(waiting)]);
    await this.#writing;
  }

  async #write(waiting: readonly (readonly [workspaceId: string, entries: NewEntry[]])[]): Promise<void> {
    try {
      await Promise.all(
        waiting.map(([workspaceId, entries]) =>
          this.#grouper.commit({ changeId: newId(), workspaceId, puts: [], entries }),
        ),
      );
    } catch (error) {
      this.#notice("reads.lost", { why: (error as Error).message });
    }
  }
}
