import { decideFrom } from "./answers.js";
import type { Message } from "./channel.js";
import type { DeskContext } from "./desk-context.js";
import { type Answer, type Heard, read, say } from "./replies.js";
import { backoff, HOPELESS_AFTER } from "./waiting.js";
import { channelWords } from "./words.js";

/** The slowest platform delivers an event again after seven hours. */
const REMEMBERED = 8 * 3_600_000;
/** Whoever takes up an event says so for this long, and again with each try. Longer than any pause between two tries. */
const TAKEN_UP = 60_000;

/**
 * Takes in a message once. Until that is done its event is only taken up: what fails meanwhile is tried again here, and after
 * the death of this instance the platform's next delivery is read anew.
 */
export async function heard(context: DeskContext, message: Message): Promise<Heard> {
  if (message.from !== "person") return "consumed";
  const { book, clock } = context;
  const { channel, tenant } = message.account;
  const event = [channel, tenant, message.eventId].join("/");
  const takeUp = () => book.first(event, clock.now(), clock.now() + TAKEN_UP);
  if (!(await persistently(context, message, takeUp))) return "consumed";
  const takenUp = <T>(work: () => Promise<T>) => {
    const holdOn = () => book.keep(event, clock.now() + TAKEN_UP);
    return persistently(context, message, work, holdOn);
  };
  let meant: Heard | Answer | undefined;
  try {
    meant = await takenUp(() => read(context, message));
    // What it answers stays as it was read: an answer that counted although its reply got lost must not be taken for another.
    if (typeof meant === "object") await answer(context, message, meant, takenUp);
    await takenUp(() => book.keep(event, clock.now() + REMEMBERED));
    return typeof meant === "object" ? "consumed" : meant;
  } catch (error) {
    if (!context.closing.aborted && (meant !== undefined || message.chat.kind === "private")) {
      await giveUp(context, message, event).catch(() => undefined);
    }
    throw error;
  }
}

async function answer(
  context: DeskContext,
  message: Message,
  { delivery, ...said }: Answer,
  takenUp: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const told = await takenUp(() => decideFrom(context, delivery, message.account, said));
  await say(context, message, told.text);
}

/** Who is told that nothing was decided may think again, so from then on the message counts for nothing. */
async function giveUp(context: DeskContext, message: Message, event: string): Promise<void> {
  const { book, clock, locales } = context;
  await book.keep(event, clock.now() + REMEMBERED);
  await say(context, message, channelWords(locales[message.account.channel]).trouble);
}

/** Tries until it works, with pauses that grow; the last failure is the caller's. */
async function persistently<T>(
  context: DeskContext,
  { account: { channel } }: Message,
  work: () => Promise<T>,
  beforeNextTry: () => Promise<void> = async () => undefined,
): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      if (failures > 0) await beforeNextTry();
      return await work();
    } catch (error) {
      failures += 1;
      if (failures >= HOPELESS_AFTER || context.closing.aborted) throw error;
      context.notice("channel.hear_failed", { channel, why: (error as Error).message });
      await rest(context, backoff(failures));
    }
  }
}

/** Ends with its time, or with the desk. */
function rest({ clock, closing }: DeskContext, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      closing.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.timer(milliseconds, end);
    closing.addEventListener("abort", end);
  });
}
