import type { Clock } from "../../core/ports.js";
import type { ChannelEvents, ClickAnswer, RefusedCallback } from "../channel.js";
import type { CardFace } from "../face.js";
import { type App, readClick, readMessage } from "./callbacks.js";
import type { Recent } from "./recent.js";
import type { Frame, StreamListener } from "./stream.js";
import { noticeOf, variablesOf } from "./template.js";

/** DingTalk shows an error to whoever pressed a button when it is not answered in two seconds. */
const CLICK_DEADLINE = 1500;

interface Tools {
  /** Messages by the names that quotes call them. */
  readonly quotes: Recent<string>;
  readonly clock: Clock;
  readonly redraw: (messageId: string, face: CardFace) => Promise<void>;
}

/** Reads what comes over the connection, tells the host, and acknowledges it. */
export function inbound(app: App, events: ChannelEvents, { quotes, clock, redraw }: Tools): StreamListener {
  async function message({ data, acknowledge }: Frame): Promise<void> {
    const read = readMessage(data, app);
    if (typeof read === "string") return refuse(read, acknowledge);
    if (read !== undefined) {
      const quoted = quotes.get(read.replyTo ?? "");
      await events.said(quoted === undefined ? read : { ...read, replyTo: quoted });
    }
    acknowledge({});
  }

  async function click({ id, data, acknowledge }: Frame): Promise<void> {
    const read = readClick(id, data, app);
    if (typeof read === "string") return refuse(read, acknowledge);
    const answered = events.clicked(read);
    const inTime = await withinDeadline(answered, clock);
    acknowledge(inTime === undefined ? {} : answerOf(inTime));
    // The answer changes the card for whoever pressed the button alone; for everybody only once it was given.
    const { face } = inTime ?? (await answered);
    if (face !== undefined) await redraw(read.messageId, face).catch(() => undefined);
  }

  async function refuse(why: RefusedCallback, acknowledge: Frame["acknowledge"]): Promise<void> {
    await events.refused(why);
    acknowledge({});
  }

  return {
    received: (frame) => void (frame.topic === "message" ? message(frame) : click(frame)),
    malformed: () => void events.refused("malformed"),
    line: (state, why) => events.line(state, why),
  };
}

/** Undefined when the answer is not there in time. */
function withinDeadline<T>(answered: Promise<T>, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = clock.timer(CLICK_DEADLINE, () => resolve(undefined));
    answered.then(resolve, reject).finally(stop);
  });
}

function answerOf({ text, face }: ClickAnswer): object {
  const variables = face === undefined ? undefined : variablesOf(face);
  return {
    cardUpdateOptions: { updateCardDataByKey: true, updatePrivateDataByKey: true },
    userPrivateData: { cardParamMap: noticeOf(text) },
    ...(variables === undefined ? {} : { cardData: { cardParamMap: variables } }),
  };
}
