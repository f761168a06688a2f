import { CountersignError } from "../../core/errors.js";
import type { Clock } from "../../core/ports.js";
import { ChannelError } from "../channel.js";
import { backoff } from "../waiting.js";

/** One connection, from its first try to its end. `failed` and `lost` end it; at most one of them is called, once. */
export interface Attempt {
  close(): void;
}

export interface AttemptEvents {
  ready(): void;
  /** It stood and stands no more. */
  lost(): void;
  /** It never stood; `refused` when trying again would not help. */
  failed(why: string, refused: boolean): void;
}

interface LineParts {
  readonly connect: (events: AttemptEvents) => Attempt;
  readonly clock: Clock;
  readonly line: (state: "up" | "down", why?: string) => void;
}

/** Both the address and the connection have to come within this time. */
const CONNECT_WITHIN = 15_000;

/**
 * Keeps one long connection standing. Down, then tries with growing pauses and jitter until it stands again or is closed: the
 * library's own loop waits two minutes between tries and does not say that the first one failed.
 */
export class Line {
  readonly #parts: LineParts;
  #attempt: Attempt | undefined;
  #cancel = () => {};
  #abandon = () => {};
  #failures = 0;
  #closed = false;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  /**
   * Resolves once the connection stands. When the first try fails, nothing is tried any more: rejects with a `CountersignError`
   * for what an operator has to mend, with a `ChannelError` when nobody answered.
   */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#abandon = () => reject(new CountersignError("closed", "The Feishu channel was closed."));
      this.#try({
        ready: resolve,
        failed: (why, refused) => {
          const said = `Feishu: ${why}`;
          reject(refused ? new CountersignError("invalid_request", said) : new ChannelError("down", said));
          this.close();
        },
      });
    });
  }

  close(): void {
    this.#closed = true;
    this.#end();
    this.#abandon();
  }

  #end(): void {
    this.#cancel();
    this.#attempt?.close();
    this.#attempt = undefined;
  }

  #try(then: { ready(): void; failed(why: string, refused: boolean): void }): void {
    const { connect, clock, line } = this.#parts;
    let over = false;
    // What a try still has to say after it ended must not end the next one.
    const ended = (): boolean => {
      const first = !over && !this.#closed;
      over = true;
      if (first) this.#end();
      return first;
    };
    const failed = (why: string, refused: boolean) => {
      if (ended()) then.failed(why, refused);
    };
    this.#cancel = clock.timer(CONNECT_WITHIN, () => failed("it cannot be reached.", false));
    this.#attempt = connect({
      ready: () => {
        if (over || this.#closed) return;
        this.#cancel();
        this.#failures = 0;
        line("up");
        then.ready();
      },
      lost: () => {
        if (!ended()) return;
        line("down", "The connection broke.");
        this.#again();
      },
      failed,
    });
  }

  #again(): void {
    this.#failures++;
    const retry = () =>
      this.#try({
        ready: () => {},
        failed: (why) => {
          this.#parts.line("down", why);
          this.#again();
        },
      });
    // Holds the process open, as the connection did.
    this.#cancel = this.#parts.clock.timer(backoff(this.#failures), retry, true);
  }
}
