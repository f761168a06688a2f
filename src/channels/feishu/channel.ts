import { systemClock } from "../../core/clock.js";
import { CountersignError } from "../../core/errors.js";
import { type Channel, ChannelError, type ChannelEvents } from "../channel.js";
import type { CardFace } from "../face.js";
import type { Webhook } from "../webhook.js";
import { FeishuApi } from "./api.js";
import { connectOnce } from "./connection.js";
import { drawCard, drawWords, fitsOneMessage } from "./draw.js";
import type { FlatEvent } from "./inbound.js";
import { Line } from "./line.js";
import { checkOptions, checkWebhookKeys, type FeishuOptions } from "./options.js";
import { Pace } from "./pace.js";
import { type Received, receive } from "./receive.js";
import { loadLark } from "./sdk.js";
import { createWebhook } from "./webhook.js";

/** What exists between start and close. */
interface Running {
  readonly api: FeishuApi;
  readonly pace: Pace;
  readonly webhook?: Webhook;
  readonly close: () => void;
}

/**
 * Feishu and Lark through the official library. Accounts are `open_id`s within their `tenant_key`: an `open_id` is good for
 * this app only, so another app's list of approvers means nothing here.
 */
export function feishuChannel(options: FeishuOptions): Channel {
  let running: Running | undefined;
  let opening: AbortController | undefined;

  const started = (): Running => {
    if (running === undefined) throw new ChannelError("down", "The Feishu channel is not started.");
    return running;
  };

  return {
    name: "feishu",
    // Five a second to one person, and to one group from all its bots together.
    spacing: 250,
    start: async (events) => {
      if (running !== undefined || opening !== undefined) {
        throw new CountersignError("invalid_request", "The Feishu channel is started already.");
      }
      opening = new AbortController();
      try {
        running = await open(options, events, opening.signal);
      } finally {
        opening = undefined;
      }
    },
    fits: (face) => fitsOneMessage(drawCard(face)),
    deliver: async (chat, face, deliveryId) => {
      const { api, pace } = started();
      const card = cardOf(face);
      await pace.turn(chat.id);
      return await api.send(chat, "interactive", card, deliveryId);
    },
    redraw: async ({ messageId }, face) => await started().api.replaceCard(messageId, cardOf(face)),
    say: async (chat, text, replyTo) => {
      const { api, pace } = started();
      await pace.turn(chat.id);
      const words = drawWords(text);
      if (replyTo === undefined) await api.send(chat, "post", words);
      else await api.reply(replyTo, words);
    },
    close: async () => {
      opening?.abort();
      running?.close();
      running = undefined;
    },
    ...(options.mode === "webhook"
      ? { webhook: async (request) => (await running?.webhook?.(request)) ?? { status: 503, body: "{}" } }
      : {}),
  };
}

async function open(options: FeishuOptions, events: ChannelEvents, signal: AbortSignal): Promise<Running> {
  const clock = options.clock ?? systemClock;
  const checked = checkOptions(options);
  const keys = options.mode === "webhook" ? checkWebhookKeys(options) : undefined;
  const lark = await loadLark();
  const api = new FeishuApi(lark, checked);
  const pace = new Pace(clock);
  const botOpenId = await api.botOpenId().catch((error: unknown) => {
    throw unusable(error);
  });
  if (signal.aborted) throw new CountersignError("closed", "The Feishu channel was closed.");
  const take = (type: string | undefined, event: FlatEvent): Promise<Received> =>
    receive(type, event, { events, appId: checked.appId, botOpenId, clock });
  if (keys !== undefined) {
    const webhook = createWebhook({ keys, clock, receive: take, refused: (why) => events.refused(why) });
    return { api, pace, webhook, close: () => {} };
  }
  const line = new Line({
    clock,
    line: (state, why) => events.line(state, why),
    connect: (attempt) => connectOnce(lark, checked, (type, event) => answerTo(take(type, event), events), attempt),
  });
  signal.addEventListener("abort", () => line.close());
  await line.open();
  return { api, pace, close: () => line.close() };
}

/** On the long connection a refusal has no status of its own: it is told to the host and acknowledged, or it would come again. */
async function answerTo(receiving: Promise<Received>, events: ChannelEvents): Promise<object> {
  const received = await receiving;
  if ("answer" in received) return received.answer;
  await events.refused(received.refused);
  return {};
}

/** Refused here, before the platform would: an approval that is shown in part must not be decided. */
function cardOf(face: CardFace): string {
  const card = drawCard(face);
  if (!fitsOneMessage(card)) throw new ChannelError("refused", "The card is larger than one Feishu message.");
  return JSON.stringify(card);
}

/** What an operator has to mend; a platform that is busy or down is not. */
function unusable(error: unknown): unknown {
  const { reason, message } = error as ChannelError;
  if (reason === "busy" || reason === "down") return error;
  return new CountersignError(
    "invalid_request",
    `${message} Check the app's id, its secret and that its bot is enabled.`,
  );
}
