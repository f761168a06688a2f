import { loadApproval } from "../core/engine.js";
import { decideFrom, type Told } from "./answers.js";
import type { Click, ClickAnswer } from "./channel.js";
import type { DeskContext } from "./desk-context.js";
import { refresh, whenSent } from "./refresh.js";
import { noteRefused } from "./refusals.js";
import { drawEnd, readValue, showingOf } from "./showing.js";
import { channelWords } from "./words.js";

/** Platforms take two seconds at least; what is not known by then is shown by a later redraw. */
const ANSWER_WITHIN = 1_500;

/** A press counts for the very message it was drawn on, in its chat, by its person; everything else is refused and noted. */
export async function clicked(context: DeskContext, click: Click): Promise<ClickAnswer> {
  const { clock, locales } = context;
  const words = channelWords(locales[click.account.channel]);
  const value = readValue(click.value);
  const delivery = value && (await whenSent(context, value.id));
  const genuine =
    delivery !== undefined &&
    delivery.channel === click.account.channel &&
    delivery.messageId === click.messageId &&
    (click.chatId === undefined || delivery.chat.id === click.chatId);
  if (!genuine || value === undefined) {
    await noteRefused(context, click.account.channel, "foreign_button");
    return { kind: "error", text: words.notFound };
  }
  const answer = decideFrom(context, delivery, click.account, { decision: value.decision, namesCard: true })
    .then((told) => withFace(context, delivery.id, told))
    .catch((error: Error): ClickAnswer => {
      context.notice("channel.click_failed", { why: error.message });
      return { kind: "error", text: words.trouble };
    });
  const late = new Promise<ClickAnswer>((resolve) => {
    const cancel = clock.timer(ANSWER_WITHIN, () => resolve({ kind: "info", text: words.running }));
    void answer.finally(cancel);
  });
  return Promise.race([answer, late]);
}

/** The card as it stands now, where its question has ended: the person sees it at once, all others by the redraw. */
async function withFace(context: DeskContext, id: string, told: Told): Promise<ClickAnswer> {
  const { gate, book, channels } = context;
  const delivery = await book.get(id);
  const channel = delivery && channels.get(delivery.channel);
  const question = delivery && (await gate.hostCard(delivery.approvalId, delivery.locale));
  if (question === undefined || channel === undefined || delivery === undefined) return told;
  if (showingOf(question.approval, delivery, gate.store.time()) === "question") return told;
  const approval = (await loadApproval({ store: gate.store }, delivery.approvalId)) ?? question.approval;
  await refresh(context, approval);
  return { ...told, face: await drawEnd({ ...context, channel }, delivery, approval, question.card) };
}
