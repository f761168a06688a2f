import type { Principal } from "../identity/index.js";
import type { Feed, Page } from "./feed.js";
import { type Happening, maySee } from "./happening.js";

/** Who listens: told what the principal may see, in the order of the chain. */
export interface Listener {
  /** Nothing new is told before this is done, so that a slow listener slows itself alone. */
  told(happenings: readonly Happening[], by: Principal): void | Promise<void>;
  /** The end: the right to listen is gone, or the server stops. */
  ended(why: "revoked" | "closing"): void;
}

/** Looks the principal up again; undefined when session, key or membership is gone. */
export type LookUp = () => Promise<Principal | undefined>;

/** One listener's place in the chain. */
export class Subscription {
  readonly #feed: Feed;
  readonly #listener: Listener;
  readonly #lookUp: LookUp;
  #by: Principal;
  #position: number;
  #pumping: Promise<void> | undefined;
  #ended = false;

  constructor(feed: Feed, by: Principal, lookUp: LookUp, position: number, listener: Listener) {
    this.#feed = feed;
    this.#by = by;
    this.#lookUp = lookUp;
    this.#position = position;
    this.#listener = listener;
  }

  get by(): Principal {
    return this.#by;
  }

  /** Everything up to here was told, or was not for this principal. */
  get position(): number {
    return this.#position;
  }

  /** True when a page that was just read held nothing for this one. Of a thousand listeners most are done with that. */
  passBy({ happenings, from, upTo }: Page): boolean {
    if (this.#pumping !== undefined || this.#position !== from) return false;
    if (happenings.some((happening) => maySee(this.#by, happening))) return false;
    this.#position = upTo;
    return true;
  }

  /** Tells what is new since the last time. Errors end the subscription: its reader comes back and goes on from its place. */
  pump(): Promise<void> {
    this.#pumping ??= this.#catchUp().finally(() => {
      this.#pumping = undefined;
    });
    return this.#pumping;
  }

  async #catchUp(): Promise<void> {
    while (!this.#ended && this.#position < this.#feed.cursor) {
      const { happenings, upTo }: Page = await this.#feed.after(this.#position);
      const seen = happenings.filter((happening) => maySee(this.#by, happening));
      if (seen.length > 0 && !this.#ended) await this.#listener.told(seen, this.#by);
      this.#position = upTo;
    }
  }

  /** What stands in no chain: a reminder. It has this listener's place: who comes back to it has missed nothing. */
  async remind(happening: Happening): Promise<void> {
    if (this.#ended || !maySee(this.#by, happening)) return;
    const event = { ...happening.event, seq: this.#position };
    await this.#listener.told([{ ...happening, event }], this.#by);
  }

  /** A right that is gone ends it here and now. A store that does not answer ends it too: doubt never tells. */
  async recheck(): Promise<Principal | undefined> {
    const by = await this.#lookUp().catch(() => undefined);
    if (by === undefined || by.workspaceId !== this.#by.workspaceId) this.end("revoked");
    else this.#by = by;
    return this.#ended ? undefined : by;
  }

  end(why: "revoked" | "closing"): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener.ended(why);
  }

  /** The listener left by itself. */
  drop(): void {
    this.#ended = true;
  }
}
