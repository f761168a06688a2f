import type { Clock } from "../../core/ports.js";

/** The platform takes five messages a second for one chat, counted by its own clock: one less leaves room for the way there. */
const AT_MOST = 4;
const WITHIN = 1_000;

/** Lets messages to one chat through as fast as the platform takes them; a short burst goes at once. */
export class Pace {
  readonly #clock: Clock;
  /** When the last few went out, or will. */
  readonly #turns = new Map<string, readonly number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when it is this message's turn; turns come in the order of asking. */
  async turn(chatId: string): Promise<void> {
    const now = this.#clock.now();
    for (const [chat, turns] of this.#turns) if ((turns.at(-1) ?? 0) + WITHIN <= now) this.#turns.delete(chat);
    const turns = this.#turns.get(chatId) ?? [];
    const at = turns.length < AT_MOST ? now : Math.max(now, (turns.at(-AT_MOST) ?? 0) + WITHIN);
    this.#turns.set(chatId, [...turns, at].slice(-AT_MOST));
    if (at > now) await new Promise<void>((resolve) => this.#clock.timer(at - now, resolve, true));
  }
}
