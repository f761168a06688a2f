import type { ServerResponse } from "node:http";
import { answerTo, Failure } from "./telegram-chats.js";

interface Queued {
  readonly update: { readonly update_id: number };
  /** How many more times it comes, confirmed or not, as after a restart of a reader who forgot how far it was. */
  left: number;
  readonly confirmed: () => void;
}

/** Updates wait here until their reader confirms them by asking for later ones, or until a webhook takes them. */
export class TelegramUpdates {
  #queue: Queued[] = [];
  #lastId = 5_000;
  #asker: ServerResponse | undefined;
  #caller: ((body: string) => Promise<number>) | undefined;

  async push(update: object, times: number): Promise<void> {
    const numbered = { update_id: ++this.#lastId, ...update };
    if (this.#caller !== undefined) return await this.#callUntilTaken(numbered, times);
    await new Promise<void>((resolve) => {
      this.#queue.push({ update: numbered, left: times, confirmed: resolve });
      const asker = this.#asker;
      this.#asker = undefined;
      if (asker !== undefined) this.#give(asker);
    });
  }

  callBy(caller: (body: string) => Promise<number>): void {
    this.#caller = caller;
  }

  ask(offset: number, timeout: number, response: ServerResponse): void {
    if (this.#asker !== undefined) {
      const why = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
      answerTo(this.#asker, new Failure(409, why));
      this.#asker = undefined;
    }
    this.#confirmBefore(offset);
    if (this.#queue.length > 0 || timeout === 0) return this.#give(response);
    this.#asker = response;
    response.once("close", () => {
      if (this.#asker === response) this.#asker = undefined;
    });
  }

  #give(response: ServerResponse): void {
    answerTo(
      response,
      this.#queue.map(({ update }) => update),
    );
  }

  #confirmBefore(offset: number): void {
    for (const queued of this.#queue) {
      if (queued.update.update_id < offset) queued.left -= 1;
      if (queued.left === 0) queued.confirmed();
    }
    this.#queue = this.#queue.filter(({ left }) => left > 0);
  }

  /** Anything but a 2xx brings it again, for a while. */
  async #callUntilTaken(update: object, times: number): Promise<void> {
    const body = JSON.stringify(update);
    for (let i = 0; i < times; i++) {
      for (let tries = 0; tries < 5; tries++) {
        const status = await this.#caller?.(body);
        if (status !== undefined && status >= 200 && status < 300) break;
      }
    }
  }
}
