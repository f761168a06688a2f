import { describe, expect, it } from "vitest";
import { ManualClock, turns } from "../../../test/gate/support.js";
import type { ChannelEvents, ClickAnswer } from "../channel.js";
import { CLICK_EVENT, MESSAGE_EVENT, receive } from "./receive.js";

const APP = "cli_a1b2c3d4e5f60718";
const click = {
  app_id: APP,
  event_id: "event-1",
  operator: { tenant_key: "tenant", open_id: "ou_ann" },
  action: { value: { reference: "r" } },
  context: { open_message_id: "om_1" },
};

function to(events: Partial<ChannelEvents>) {
  const clock = new ManualClock();
  const unexpected = () => Promise.reject(new Error("not expected"));
  const host: ChannelEvents = { clicked: unexpected, said: unexpected, refused: unexpected, line: () => {}, ...events };
  return { clock, receiving: { events: host, appId: APP, botOpenId: "ou_bot", clock } };
}

describe("what the channel does with an event", () => {
  it("acknowledges a click in time when the host is slow, and leaves the card as it is", async () => {
    let answer: (answer: ClickAnswer) => void = () => {};
    const { clock, receiving } = to({ clicked: () => new Promise((resolve) => (answer = resolve)) });
    const received = receive(CLICK_EVENT, click, receiving);
    await turns();
    await clock.advance(2_400);
    expect(await received).toEqual({ answer: {} });
    answer({ kind: "success", text: "Approved." });
    expect(clock.timers).toBe(0);
  });

  it("leaves no timer behind a click that was answered", async () => {
    const { clock, receiving } = to({ clicked: async () => ({ kind: "info", text: "Decided already." }) });
    expect(await receive(CLICK_EVENT, click, receiving)).toEqual({
      answer: { toast: { type: "info", content: "Decided already." } },
    });
    expect(clock.timers).toBe(0);
  });

  it("leaves clicks alone whose button is another program's", async () => {
    const { receiving } = to({});
    const foreign = { ...click, action: { value: { order: 7 } } };
    expect(await receive(CLICK_EVENT, foreign, receiving)).toEqual({ answer: {} });
  });

  it("passes a failure of the host on, so that nothing is acknowledged", async () => {
    const failing = () => Promise.reject(new Error("the store is away"));
    const { receiving } = to({ clicked: failing, said: failing });
    await expect(receive(CLICK_EVENT, click, receiving)).rejects.toThrow("the store is away");
  });

  it.each([CLICK_EVENT, MESSAGE_EVENT, "im.chat.disbanded_v1", undefined])(
    "refuses %s of another app, and of one that is not named",
    async (type) => {
      const { receiving } = to({});
      expect(await receive(type, { ...click, app_id: "cli_0000000000000000" }, receiving)).toEqual({
        refused: "foreign_app",
      });
      expect(await receive(type, { ...click, app_id: undefined }, receiving)).toEqual({ refused: "foreign_app" });
    },
  );
});
