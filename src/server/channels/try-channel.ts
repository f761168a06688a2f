import { randomBytes } from "node:crypto";
import type { Channel, Chat } from "../../channels/channel.js";
import type { CardFace } from "../../channels/face.js";
import { channelWords, replyWordsIn } from "../../channels/words.js";
import { CountersignError } from "../../core/errors.js";
import { type Shown, shown } from "../../core/text/shown.js";
import type { Locale } from "../../core/tool.js";

export interface TryOptions {
  readonly locale: Locale;
  /** A chat to send the card to; otherwise the one in which somebody writes first. */
  readonly chat?: Chat;
  /** Told step by step what happens and what to do. */
  readonly step: (line: string) => void;
  /** How long a person may take for each step. */
  readonly patience: number;
}

export interface Tried {
  readonly chat: Chat;
  /** By a button, or by words. */
  readonly answered: "button" | "words";
}

/** Shows that a channel works: connects, sends a card that runs nothing, and waits until somebody answers it. */
export async function tryChannel(channel: Channel, options: TryOptions): Promise<Tried> {
  const { locale, step, patience } = options;
  const reference = randomBytes(16).toString("base64url");
  const wrote = waiting<Chat>();
  const answered = waiting<Tried["answered"]>();
  const face = testFace(locale, reference);
  let sent = false;
  try {
    await channel.start({
      async clicked({ value }) {
        if (!value.startsWith(reference)) return { kind: "error", text: channelWords(locale).notFound };
        answered.resolve("button");
        return { kind: "success", text: channelWords(locale).testCard, face: { ...face, buttons: [] } };
      },
      async said({ chat, from }) {
        if (from !== "person") return;
        if (sent) answered.resolve("words");
        wrote.resolve(chat);
      },
      refused: async (why) => step(`refused a callback: ${why}`),
      line: (state, why) => step(`connection ${state}${why === undefined ? "" : `: ${why}`}`),
    });
    step("Connected.");
    if (options.chat === undefined) step("Write anything to the bot, in a private chat with it.");
    const chat = options.chat ?? (await within(wrote.promise, patience, "Nobody wrote to the bot."));
    const { messageId } = await channel.deliver(chat, face, randomBytes(16).toString("base64url"));
    sent = true;
    step("A test card was sent. Press one of its buttons, or answer it.");
    const by = await within(answered.promise, patience, "Nobody answered the test card.");
    await channel.redraw({ chat, messageId }, { ...face, buttons: [], closing: [shown`✓`] });
    return { chat, answered: by };
  } finally {
    await channel.close();
  }
}

function testFace(locale: Locale, reference: string): CardFace {
  const words = channelWords(locale);
  const { yes, no } = replyWordsIn(locale);
  return {
    locale,
    riskTier: "R0",
    heading: shown`○ Countersign`,
    question: words.testCard,
    facts: [],
    sections: [],
    closing: [words.howPrivate(yes, no, "00" as Shown)],
    buttons: [
      { kind: "approve", label: words.approve, value: `${reference}.a`, says: `${yes} 00` },
      { kind: "deny", label: words.deny, value: `${reference}.d`, says: `${no} 00` },
    ],
  };
}

function waiting<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

async function within<T>(promise: Promise<T>, time: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CountersignError("expired", message)), time);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
