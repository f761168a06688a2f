import { loadApproval } from "../core/engine.js";
import type { Delivery } from "./book.js";
import { isChannelError } from "./channel.js";
import type { DeskContext } from "./desk-context.js";
import { refresh, update } from "./refresh.js";
import { Rounds } from "./rounds.js";
import { escalate } from "./routing.js";
import { drawEnd, drawQuestion, showingOf } from "./showing.js";
import { backoff, DELIVERY, HOPELESS_AFTER } from "./waiting.js";
import { channelWords } from "./words.js";

/** How often the book is looked at although nothing was said to be due. */
const LOOK_EVERY = 1_000;
const AT_ONCE = 50;
/** Whoever takes a delivery in hand has so long before another instance may. */
const LEASE = 30_000;
/** After so many failures the person's next account is tried as well. */
const ESCALATE_AFTER = 3;
const REMIND_BEFORE = 60_000;

/** Sends what is due: cards to chats, their ends in place of them, a word before time is over. Failures are tried again. */
export class Outbox {
  readonly #context: DeskContext;
  readonly #freeAt = new Map<string, number>();
  readonly #rounds: Rounds;

  constructor(context: DeskContext) {
    this.#context = context;
    this.#rounds = new Rounds({
      clock: context.clock,
      every: LOOK_EVERY,
      round: () => this.#look(),
      failed: (error) => context.notice("channel.outbox_failed", { why: error.message }),
    });
  }

  /** Looks now; a look under way is followed by another. */
  hurry(): void {
    this.#rounds.hurry();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #look(): Promise<void> {
    const { book, clock } = this.#context;
    const due = await book.due(clock.now(), AT_ONCE);
    // A slow platform holds up its own chats alone.
    await Promise.all(due.map((delivery) => this.#handle(delivery)));
    if (due.length === AT_ONCE) this.hurry();
  }

  async #handle(found: Delivery): Promise<void> {
    const { gate, book, clock, notice } = this.#context;
    const now = clock.now();
    const wait = this.#spacing(found, now);
    if (wait > 0) {
      this.#rounds.againIn(wait);
      await book.save({ ...found, dueAt: now + wait });
      return;
    }
    if (!(await book.save({ ...found, dueAt: now + LEASE }))) return;
    try {
      const done = await this.#act(found);
      await update(book, found.id, (current) => ({ ...current, ...done }));
      // It may have ended while the card was on its way, when nobody could know where it would stand.
      const approval = done.state === "sent" ? await loadApproval({ store: gate.store }, found.approvalId) : undefined;
      if (approval !== undefined) await refresh(this.#context, approval);
    } catch (error) {
      notice("channel.send_failed", { channel: found.channel, why: (error as Error).message });
      await this.#failed(found, error);
    }
  }

  /** Platforms bound how fast one chat is written to; waiting here is cheaper than being told so. */
  #spacing({ channel: name, chat }: Delivery, now: number): number {
    const key = `${name}:${chat.id}`;
    const freeAt = this.#freeAt.get(key) ?? 0;
    if (freeAt > now) return freeAt - now;
    for (const [chatKey, at] of this.#freeAt) if (at <= now) this.#freeAt.delete(chatKey);
    this.#freeAt.set(key, now + (this.#context.channels.get(name)?.spacing ?? 0));
    return 0;
  }

  /** Does the next thing about a delivery, and says what has changed about it. */
  async #act(delivery: Delivery): Promise<Partial<Delivery>> {
    const { gate, channels, clock } = this.#context;
    const channel = channels.get(delivery.channel);
    const question = await gate.hostCard(delivery.approvalId, delivery.locale);
    // Of a channel that is switched off and of content that was erased nothing can be shown any more.
    if (channel === undefined || question === undefined) return { dueAt: null };
    const { approval, card } = question;
    const draw = { ...this.#context, channel };
    const wants = showingOf(approval, delivery, gate.store.time());
    const left = approval.decideBy - gate.store.time();
    if (delivery.state === "queued") {
      if (wants !== "question") return { state: "failed", wants, dueAt: null };
      const { face, approvable } = await drawQuestion(draw, delivery, approval, card);
      const {
        messageId,
        at,
        sequence,
        quotedAs,
        chatId = delivery.chat.id,
      } = await channel.deliver(delivery.chat, face, delivery.id);
      const sent = { state: "sent", approvable, cardHash: card.cardHash, messageId, sentAt: at, attempts: 0 } as const;
      // Whoever is told within the last minute needs no reminder.
      const reminded = left <= REMIND_BEFORE;
      const dueAt = clock.now() + (reminded ? left : left - REMIND_BEFORE);
      return {
        ...sent,
        ...(sequence === undefined ? {} : { sequence }),
        ...(quotedAs && { quotedAs }),
        chat: { ...delivery.chat, id: chatId },
        reminded,
        dueAt,
      };
    }
    if (wants === "question") {
      if (!delivery.reminded) {
        await channel.say(delivery.chat, channelWords(delivery.locale).reminder(card.humanSummary), delivery.messageId);
      }
      return { reminded: true, dueAt: clock.now() + Math.max(LOOK_EVERY, left) };
    }
    const place = { chat: delivery.chat, messageId: delivery.messageId ?? "" };
    await channel.redraw(place, await drawEnd(draw, delivery, approval, card));
    return { shows: wants, attempts: 0, dueAt: null };
  }

  async #failed({ id, state, attempts: before, expiresAt, ...delivery }: Delivery, error: unknown): Promise<void> {
    const { book, clock, gate, notice } = this.#context;
    const known = isChannelError(error) ? error : undefined;
    const reason = known?.reason ?? "down";
    const attempts = before + 1;
    const lost = reason === "gone" || reason === "refused";
    // A question is worth another try for as long as it is open; how it ended is not.
    const late = state === "queued" ? gate.store.time() >= expiresAt : attempts >= HOPELESS_AFTER;
    const over = lost || late;
    // A platform that asks for no wait, or for one that is none, is still not asked without end.
    const wait = Math.max(LOOK_EVERY, Math.ceil(known?.retryAfter || backoff(attempts, DELIVERY)));
    const dueAt = over ? null : clock.now() + wait;
    const failed = over && state === "queued" ? { state: "failed" as const } : {};
    const now = await update(book, id, (current) => ({ ...current, attempts, dueAt, ...failed }));
    if (over) notice("channel.gave_up", { channel: delivery.channel, why: reason });
    else this.#rounds.againIn(wait);
    if (now === undefined || state !== "queued") return;
    if (over || attempts === ESCALATE_AFTER || attempts === HOPELESS_AFTER) await escalate(this.#context, now);
  }
}
