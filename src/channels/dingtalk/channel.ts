import { systemClock } from "../../core/clock.js";
import { CountersignError } from "../../core/errors.js";
import type { Clock } from "../../core/ports.js";
import { type Channel, ChannelError, type Chat, type Delivered } from "../channel.js";
import type { CardFace } from "../face.js";
import { dingtalkApi } from "./api.js";
import { inbound } from "./inbound.js";
import { createCard, sendMessage, updateCard } from "./outbound.js";
import { buttonsMessage, endMessage, faceMessage, fitsMessage, textMessages } from "./plain.js";
import { recent } from "./recent.js";
import { openStream, type Stream } from "./stream.js";
import { type Variables, variablesOf } from "./template.js";

export interface DingtalkOptions {
  /** Of the app, on DingTalk's developer console: Client ID (AppKey) and Client Secret (AppSecret). */
  readonly clientId: string;
  readonly clientSecret: string;
  /** The company's CorpId. Callbacks of other companies are refused. */
  readonly corpId: string;
  /** Of the app's robot; the client id unless said. */
  readonly robotCode?: string;
  /** A published card template with the variables of docs/channels/dingtalk.md. Without one, buttons make people say the answer. */
  readonly templateId?: string;
  /** `https://api.dingtalk.com` unless said; outside China `https://api.dingtalk.io`. */
  readonly baseUrl?: string;
  readonly clock?: Clock;
}

/** DingTalk, by a connection that we open. HTTP callbacks are not taken: their signatures do not cover what they say. */
export function dingtalkChannel(options: DingtalkOptions): Channel {
  const { clientId, clientSecret, corpId, templateId } = checked(options);
  const { robotCode = clientId, baseUrl = "https://api.dingtalk.com", clock = systemClock } = options;
  const api = dingtalkApi({ baseUrl, clientId, clientSecret, clock });
  /**
   * People may quote a card by a name that only its delivery told: a template's card by its carrier's, buttons by their own.
   * In memory: after a restart, and on other instances, such a quote names nothing, and its writer is asked for the code.
   */
  const quotes = recent<string>();
  /** Texts whose buttons did not get through: another try sends the buttons alone. */
  const halves = recent<Delivered>();
  let stream: Stream | undefined;

  return {
    name: "dingtalk",
    spacing: 200,

    async start(events) {
      if (stream !== undefined)
        throw new CountersignError("already_exists", "This DingTalk channel was started before.");
      const listener = inbound({ corpId, robotCode }, events, { quotes, clock, redraw });
      stream = await openStream(api, { clientId, clientSecret }, listener).catch(explained);
    },

    fits(face) {
      return templateId === undefined ? fitsMessage(faceMessage(face)) : variablesOf(face) !== undefined;
    },

    async deliver(chat, face, deliveryId) {
      if (templateId === undefined) return deliverPlain(chat, face, deliveryId);
      const card = await createCard(api, { robotCode, templateId }, chat, deliveryId, drawn(face));
      if (card.quotedAs !== undefined) quotes.set(card.quotedAs, card.messageId);
      return { messageId: card.messageId, at: card.at };
    },

    async redraw({ chat, messageId }, face) {
      if (templateId !== undefined) return redraw(messageId, face);
      // What still waits for an answer is shown already; a message of every vote would only be noise.
      if (face.buttons.some(({ kind }) => kind !== "open")) return;
      await sendMessage(api, robotCode, chat, endMessage(face));
    },

    async say(chat, text) {
      for (const message of textMessages(text)) await sendMessage(api, robotCode, chat, message);
    },

    async close() {
      await stream?.close();
    },
  };

  /** The text first, so that nobody sees buttons without what they are for. */
  async function deliverPlain(chat: Chat, face: CardFace, deliveryId: string): Promise<Delivered> {
    const message = faceMessage(face);
    if (!fitsMessage(message)) throw tooLarge();
    const text = halves.get(deliveryId) ?? (await sendMessage(api, robotCode, chat, message));
    const buttons = buttonsMessage(face);
    if (buttons === undefined) return text;
    halves.set(deliveryId, text);
    const under = await sendMessage(api, robotCode, chat, buttons);
    halves.delete(deliveryId);
    quotes.set(under.messageId, text.messageId);
    return { messageId: text.messageId, at: under.at };
  }

  async function redraw(messageId: string, face: CardFace): Promise<void> {
    await updateCard(api, messageId, drawn(face));
  }
}

function drawn(face: CardFace): Variables {
  const variables = variablesOf(face);
  if (variables === undefined) throw tooLarge();
  return variables;
}

function tooLarge(): ChannelError {
  return new ChannelError("refused", "This does not fit into one message on DingTalk.");
}

/** A blank secret would be taken for a set one (attack E1). */
function checked(options: DingtalkOptions): DingtalkOptions {
  for (const name of ["clientId", "clientSecret", "corpId", "robotCode", "templateId"] as const) {
    const given = options[name];
    if (given === undefined && (name === "robotCode" || name === "templateId")) continue;
    if (typeof given === "string" && given.trim() === given && given !== "") continue;
    throw new CountersignError(
      "invalid_request",
      `DingTalk needs ${name}: a text without spaces around it. It is on the app's page of DingTalk's developer console.`,
    );
  }
  return options;
}

/** A first connection that failed, with what to do about it. */
function explained(thrown: unknown): never {
  if (thrown instanceof CountersignError) throw thrown;
  const refused = thrown instanceof ChannelError && thrown.reason === "refused";
  const why = thrown instanceof ChannelError ? thrown.message : "The connection was not accepted.";
  throw new CountersignError(
    refused ? "invalid_request" : "closed",
    refused
      ? `${why} Check the client id, the client secret and that the robot's messages come by Stream mode.`
      : `${why} Check that this machine reaches DingTalk, then start again.`,
  );
}
