import { EventEmitter, once } from "node:events";
import type { ChannelEvents, Click, ClickAnswer, Message, RefusedCallback } from "../../src/channels/channel.js";

/** A host that remembers what it was told, and answers clicks as it is set to. */
export class RecordedEvents implements ChannelEvents {
  readonly clicks: Click[] = [];
  readonly messages: Message[] = [];
  readonly refusals: RefusedCallback[] = [];
  readonly lines: { readonly state: "up" | "down"; readonly why?: string }[] = [];
  answer: (click: Click) => Promise<ClickAnswer> = async () => ({ kind: "success", text: "Approved" });
  readonly #told = new EventEmitter();

  async clicked(click: Click): Promise<ClickAnswer> {
    this.clicks.push(click);
    return await this.answer(click);
  }

  async said(message: Message): Promise<void> {
    this.messages.push(message);
  }

  async refused(why: RefusedCallback): Promise<void> {
    this.refusals.push(why);
    this.#told.emit("refusal");
  }

  line(state: "up" | "down", why?: string): void {
    this.lines.push(why === undefined ? { state } : { state, why });
    this.#told.emit("line");
  }

  /** The line as it was told, without reasons. */
  get states(): readonly string[] {
    return this.lines.map(({ state }) => state);
  }

  /** Resolves once so much was refused. */
  async refusalsAre(count: number): Promise<void> {
    while (this.refusals.length < count) await once(this.#told, "refusal");
  }

  /** Resolves once the line was told to be so, counted from `from` on. */
  async lineIs(state: "up" | "down", from = 0): Promise<void> {
    while (!this.lines.slice(from).some((line) => line.state === state)) await once(this.#told, "line");
  }

  /** Resolves once the line was spoken of so often. */
  async linesAre(count: number): Promise<void> {
    while (this.lines.length < count) await once(this.#told, "line");
  }
}
