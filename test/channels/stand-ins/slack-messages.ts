import { type Block, checkBlocks, Refusal } from "./slack-blocks.js";

/** Arguments as they come in a form: everything is text. */
export type Arguments = Readonly<Record<string, string>>;

export interface Posted {
  readonly ts: string;
  readonly channel: string;
  blocks: readonly Block[];
  text: string;
}

/** Too many; asks to come back after so many seconds. */
export class Busy extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super("ratelimited");
    this.seconds = seconds;
  }
}

/** One message a second and chat, with short bursts. */
const BURST = 30;

/** What stands in the channels, and every rule that a message must keep to stand there. */
export class SlackMessages {
  readonly #known: Set<string>;
  readonly #faults: string[];
  readonly #posted: Posted[] = [];
  readonly #removed = new Set<string>();
  readonly #times = new Map<string, number[]>();
  #lastMicros = 0;

  constructor(known: readonly string[], faults: string[]) {
    this.#known = new Set(known);
    this.#faults = faults;
  }

  in(channel: string): readonly Posted[] {
    return this.#posted.filter((posted) => posted.channel === channel);
  }

  find(ts: string): Posted {
    const found = this.#posted.find((posted) => posted.ts === ts);
    if (found === undefined) throw new Refusal("message_not_found");
    return found;
  }

  remove(channel: string): void {
    this.#removed.add(channel);
  }

  /** A time that no message has, as messages are named by it. */
  stamp(shift = 0): string {
    const now = Math.max(Date.now() * 1000, this.#lastMicros + 1);
    this.#lastMicros = now;
    const micros = String(now + shift * 1000);
    return `${micros.slice(0, -6)}.${micros.slice(-6)}`;
  }

  post(args: Arguments): Posted {
    const channel = this.channelOf(args);
    const now = Date.now();
    const recent = (this.#times.get(channel) ?? []).filter((time) => time > now - BURST * 1000);
    if (recent.length >= BURST) {
      this.#faults.push("more than one message a second to one channel");
      throw new Busy(1);
    }
    this.#times.set(channel, [...recent, now]);
    for (const name of ["unfurl_links", "unfurl_media"]) {
      if (args[name] !== "false") this.#faults.push(`${name} is on`);
    }
    const posted = { ts: this.stamp(), channel, ...this.contentOf(args) };
    this.#posted.push(posted);
    return posted;
  }

  update(args: Arguments): Posted {
    const channel = this.channelOf(args);
    const posted = this.find(args.ts ?? "");
    if (posted.channel !== channel) throw new Refusal("message_not_found");
    return Object.assign(posted, this.contentOf(args));
  }

  channelOf({ channel = "" }: Arguments): string {
    if (!this.#known.has(channel)) throw new Refusal("channel_not_found");
    if (this.#removed.has(channel)) throw new Refusal("not_in_channel");
    return channel;
  }

  contentOf({ blocks: json = "[]", text = "", parse }: Arguments): { blocks: readonly Block[]; text: string } {
    const blocks = JSON.parse(json) as readonly Block[];
    if (blocks.length === 0 && text === "") throw new Refusal("no_text");
    if (text.length > 40_000) throw new Refusal("msg_too_long");
    if (parse !== "none") this.#faults.push("Slack was left to look for links and mentions");
    checkBlocks(blocks);
    return { blocks, text };
  }
}
