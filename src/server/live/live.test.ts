import { describe, expect, it } from "vitest";
import { openServerWorld } from "../../../test/server/world.js";
import { memoryStore } from "../../index.js";
import type { Listener } from "./subscription.js";

const CALL = { tool: "email.send", args: { to: "ann@example.com", body: "hello" } };

/** A store that reads its entries only when it is let go. */
function stubbornStore() {
  const store = memoryStore();
  const entries = store.entries.bind(store);
  let wait: Promise<void> | undefined;
  store.entries = async (...asked) => {
    await wait;
    return entries(...asked);
  };
  const hold = () => {
    let letGo: () => void = () => undefined;
    wait = new Promise((resolve) => {
      letGo = resolve;
    });
    return letGo;
  };
  return { store, hold };
}

describe("who listens to a workspace", () => {
  it("hears on when the last other listener leaves while it is still coming", async () => {
    const { store, hold } = stubbornStore();
    const { service, owner, agent } = await openServerWorld({ store });
    const { live } = service;
    const heard: string[] = [];
    const listener: Listener = {
      told: (happenings) => void heard.push(...happenings.map(({ event }) => event.type)),
      ended: () => undefined,
    };
    const first = await live.join(owner, async () => owner, undefined, listener);
    const letGo = hold();
    // A place that this process has not read yet makes it look first.
    const coming = live.join(owner, async () => owner, first.cursor + 1, listener);
    await new Promise(setImmediate);
    first.leave();
    letGo();
    await coming;
    const { http } = await agent();
    await http.post("/v1/calls", CALL);
    await expect.poll(() => heard).toContain("approval.created");
  });
});
