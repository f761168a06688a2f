import type { Clock } from "../../core/ports.js";
import type { ChannelEvents, ClickAnswer, RefusedCallback } from "../channel.js";
import { type App, readClick, readMessage } from "./callbacks.js";
import type { Frame } from "./connection.js";
import type { StreamListener } from "./stream.js";
import { noticeOf, variablesOf } from "./template.js";

/** DingTalk shows an error to whoever pressed a button when it is not answered in two seconds. */
const CLICK_DEADLINE = 1700;

export interface Inbound extends StreamListener {
  /** Resolves once no press on this card waits for its answer: DingTalk wants no update before. */
  answered(messageId: string): Promise<void>;
}

/** Reads what comes over the connection, tells the host, and acknowledges it. */
export function inbound(app: App, events: ChannelEvents, clock: Clock): Inbound {
  const waiting = new Map<string, Promise<unknown>>();

  async function message({ data, acknowledge }: Frame): Promise<void> {
    const read = readMessage(data, app);
    if (typeof read === "string") return refuse(read, acknowledge);
    if (read !== undefined) await events.said(read);
    acknowledge({});
  }

  async function click({ id, data, acknowledge }: Frame): Promise<void> {
    const read = readClick(id, data, app);
    if (typeof read === "string") return refuse(read, acknowledge);
    const { messageId } = read;
    const done = withinDeadline(events.clicked(read), clock).then((answer) => acknowledge(answerOf(answer)));
    const all = Promise.all([waiting.get(messageId), done]);
    waiting.set(messageId, all);
    await all;
    if (waiting.get(messageId) === all) waiting.delete(messageId);
  }

  async function refuse(why: RefusedCallback, acknowledge: Frame["acknowledge"]): Promise<void> {
    await events.refused(why);
    acknowledge({});
  }

  return {
    received: (frame) => void (frame.topic === "message" ? message(frame) : click(frame)),
    malformed: () => void events.refused("malformed"),
    line: (state, why) => events.line(state, why),
    async answered(messageId) {
      await waiting.get(messageId);
    },
  };
}

/** Undefined when the answer is not there in time; the host shows it on the card later. */
function withinDeadline<T>(answered: Promise<T>, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = clock.timer(CLICK_DEADLINE, () => resolve(undefined));
    void answered.then(resolve, reject).finally(stop);
  });
}

/** What the person who pressed the button sees at once; everybody else sees it when the host draws the card anew. */
function answerOf(answer: ClickAnswer | undefined): object {
  if (answer === undefined) return {};
  const variables = answer.face === undefined ? undefined : variablesOf(answer.face);
  return {
    cardUpdateOptions: { updateCardDataByKey: true, updatePrivateDataByKey: true },
    userPrivateData: { cardParamMap: noticeOf(answer.text) },
    ...(variables === undefined ? {} : { cardData: { cardParamMap: variables } }),
  };
}
