import { systemClock } from "../../core/clock.js";
import { CountersignError } from "../../core/errors.js";
import type { Clock } from "../../core/ports.js";
import { type Channel, ChannelError, type Chat, type Delivered } from "../channel.js";
import type { CardFace } from "../face.js";
import { dingtalkApi } from "./api.js";
import { type Inbound, inbound } from "./inbound.js";
import { createCard, sendMessage, updateCard } from "./outbound.js";
import { buttonsMessage, endMessage, faceMessage, fitsMessage, type RobotMessage, textMessages } from "./plain.js";
import { recent } from "./recent.js";
import { openStream, type Stream } from "./stream.js";
import { type Variables, variablesOf } from "./template.js";
import { Turns } from "./turns.js";

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
  /** Texts whose buttons did not get through: another try sends the buttons alone. */
  const halves = recent<Delivered>();
  const turns = new Turns();
  let running: { readonly stream: Promise<Stream>; readonly heard: Inbound } | undefined;

  const send = (chat: Chat, message: RobotMessage): Promise<Delivered> => sendMessage(api, robotCode, chat, message);

  return {
    name: "dingtalk",
    spacing: 200,

    async start(events) {
      if (running !== undefined)
        throw new CountersignError("invalid_request", "The DingTalk channel is started already.");
      const heard = inbound({ corpId, robotCode }, events, clock);
      const stream = openStream(api, { clientId, clientSecret }, heard);
      running = { stream, heard };
      try {
        await stream;
      } catch (thrown) {
        if (running?.stream === stream) running = undefined;
        throw explained(thrown);
      }
    },

    fits(face) {
      return templateId === undefined ? fitsMessage(faceMessage(face)) : variablesOf(face) !== undefined;
    },

    async deliver(chat, face, deliveryId) {
      // Nothing else may come between a text and its buttons.
      if (templateId === undefined) return turns.take(chat.id, () => deliverPlain(chat, face, deliveryId));
      return createCard(api, { robotCode, templateId }, chat, deliveryId, drawn(face));
    },

    async redraw({ chat, messageId }, face) {
      if (templateId !== undefined) {
        await running?.heard.answered(messageId);
        await updateCard(api, messageId, drawn(face));
        return;
      }
      // What still waits for an answer is shown already; a message of every vote would only be noise.
      if (face.buttons.some(({ kind }) => kind !== "open")) return;
      await turns.take(chat.id, () => send(chat, endMessage(face)));
    },

    async say(chat, text) {
      await turns.take(chat.id, async () => {
        for (const message of textMessages(text)) await send(chat, message);
      });
    },

    async close() {
      const last = running;
      running = undefined;
      await (await last?.stream.catch(() => undefined))?.close();
    },
  };

  /** The text first, so that nobody sees buttons without what they are for. */
  async function deliverPlain(chat: Chat, face: CardFace, deliveryId: string): Promise<Delivered> {
    const message = faceMessage(face);
    if (!fitsMessage(message)) throw tooLarge();
    const text = halves.get(deliveryId) ?? (await send(chat, message));
    const buttons = buttonsMessage(face);
    if (buttons === undefined) return text;
    halves.set(deliveryId, text);
    const under = await send(chat, buttons);
    halves.delete(deliveryId);
    return { messageId: text.messageId, at: under.at, quotedAs: [under.messageId] };
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

/** A blank secret would be taken for a set one (attack E1), and one that goes out unencrypted is none for long. */
function checked(options: DingtalkOptions): DingtalkOptions {
  for (const name of ["clientId", "clientSecret", "corpId", "robotCode", "templateId"] as const) {
    const given = options[name];
    if (given === undefined && (name === "robotCode" || name === "templateId")) continue;
    if (typeof given !== "string" || given === "" || given.trim() !== given) {
      throw wrong(name, "has to be a text without spaces around it; the app's page of the developer console shows it");
    }
  }
  if (options.baseUrl !== undefined && !/^(?:https:\/\/|http:\/\/127\.0\.0\.1(?::|\/|$))/.test(options.baseUrl)) {
    throw wrong("baseUrl", "has to begin with https://");
  }
  return options;
}

function wrong(name: string, problem: string): CountersignError {
  return new CountersignError("invalid_request", `DingTalk: ${name} ${problem}.`, { path: name });
}

/** A first connection that failed: what somebody has to mend says so, what may pass by itself is left as it is. */
function explained(thrown: unknown): unknown {
  const refused = thrown instanceof ChannelError && (thrown.reason === "refused" || thrown.reason === "gone");
  if (!refused) return thrown;
  return new CountersignError(
    "invalid_request",
    `${thrown.message} Check the client id, the client secret and that the robot receives messages in Stream mode.`,
  );
}
