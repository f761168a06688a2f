import { afterEach } from "vitest";
import type { Channel } from "../../../src/channels/channel.js";
import { RecordedEvents } from "../events.js";
import { endedFace } from "../stand-ins/dingtalk/face.js";
import { type DingtalkStandIn, dingtalkStandIn } from "../stand-ins/dingtalk.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A platform that ends with its test. */
export async function platform(template: boolean): Promise<DingtalkStandIn> {
  const standIn = await dingtalkStandIn({ template });
  closing.push(() => standIn.close());
  return standIn;
}

/** A channel on it, and a host that answers every click with the end of its question. */
export async function started(
  standIn: DingtalkStandIn,
  channel = standIn.channel(),
): Promise<[Channel, RecordedEvents]> {
  const host = new RecordedEvents();
  host.answer = async () => ({ kind: "success", text: "已同意", face: endedFace() });
  await channel.start(host);
  closing.push(() => channel.close());
  return [channel, host];
}
