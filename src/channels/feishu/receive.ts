import type { Clock } from "../../core/ports.js";
import type { ChannelEvents, RefusedCallback } from "../channel.js";
import { drawAnswer } from "./draw.js";
import { type FlatEvent, readClick, readMessage, textIn } from "./inbound.js";

export const MESSAGE_EVENT = "im.message.receive_v1";
export const CLICK_EVENT = "card.action.trigger";

/** The platform shows an error to whoever pressed the button after three seconds; the way there and back takes some of them. */
const ANSWER_WITHIN = 2_400;

/** An empty answer leaves the card as it is. */
const NOTHING = {};

export type Received = { readonly answer: object } | { readonly refused: RefusedCallback };

interface Receiving {
  readonly events: ChannelEvents;
  readonly appId: string;
  readonly botOpenId: string;
  readonly clock: Clock;
}

/** What the channel does with an event whose sender was verified, by whatever way it came. */
export async function receive(type: string | undefined, event: FlatEvent, to: Receiving): Promise<Received> {
  if (textIn(event, "app_id") !== to.appId) return { refused: "foreign_app" };
  if (type === CLICK_EVENT) return await receiveClick(event, to);
  if (type === MESSAGE_EVENT) return await receiveMessage(event, to);
  return { answer: NOTHING };
}

async function receiveClick(event: FlatEvent, { events, clock }: Receiving): Promise<Received> {
  const click = readClick(event);
  if (click === undefined) return { refused: "malformed" };
  // A button that something else sent in this app's name: its click is not for us.
  if (click === "foreign") return { answer: NOTHING };
  const late = whenLate(clock);
  try {
    return { answer: await Promise.race([events.clicked(click).then(drawAnswer), late.promise]) };
  } finally {
    late.cancel();
  }
}

/** Acknowledged only when it was taken in: otherwise the platform delivers it again. */
async function receiveMessage(event: FlatEvent, { events, botOpenId }: Receiving): Promise<Received> {
  const message = readMessage(event, botOpenId);
  if (message === undefined) return { refused: "malformed" };
  if (message.text !== "") await events.said(message);
  return { answer: NOTHING };
}

/** Acknowledges without a word when the host is slow: the card is drawn anew once it has decided. */
function whenLate(clock: Clock): { readonly promise: Promise<object>; readonly cancel: () => void } {
  let cancel = () => {};
  const promise = new Promise<object>((resolve) => {
    cancel = clock.timer(ANSWER_WITHIN, () => resolve(NOTHING));
  });
  return { promise, cancel };
}
