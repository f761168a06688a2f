import { describe, expect, it } from "vitest";
import { ORIGIN, openServerWorld } from "../../../test/server/world.js";
import type { LiveEvent } from "../../client/wire-live.js";
import type { Clock } from "../../core/ports.js";
import { memoryStore } from "../../index.js";
import { fakeClock } from "../../testing/index.js";
import type { Listener } from "./subscription.js";

const CALL = { tool: "email.send", args: { to: "ann@example.com", body: "hello" } };

/** A store that reads its entries only when it is let go. */
function stubbornStore(clock?: Clock) {
  const store = memoryStore(clock === undefined ? {} : { clock });
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

  it("may wait for a store that takes longer than a heartbeat", async () => {
    const clock = fakeClock();
    const { store, hold } = stubbornStore(clock);
    const { app, browser } = await openServerWorld({ store, clock });
    const letGo = hold();
    const opening = app.fetch(new Request(`${ORIGIN}/v1/events?after=1000`, { headers: browser.headers }));
    await clock.advance(20_000);
    letGo();
    const { status, body } = await opening;
    await body?.cancel();
    expect(status).toBe(200);
  });

  it("is refused while the store does not answer, and leaves nothing behind that would end the process", async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock });
    const { app, browser, agent } = await openServerWorld({ store, clock });
    const { http } = await agent();
    const { approvalId } = (await http.post<{ approvalId: string }>("/v1/calls", CALL)).body;
    const checkpoint = store.checkpoint.bind(store);
    store.checkpoint = () => Promise.reject(new Error("gone"));
    const everything = new Request(`${ORIGIN}/v1/events`, { headers: browser.headers });
    const ofOne = new Request(`${ORIGIN}/v1/calls/${approvalId}/events`, { headers: http.headers });
    for (const request of [everything, ofOne]) expect((await app.fetch(request)).status).toBe(503);
    store.checkpoint = checkpoint;
    await clock.advance(20_000);
  });

  it("is not led past what it was not told yet by a reminder, which stands in no chain", async () => {
    const clock = fakeClock();
    const { gate, service, owner, agent } = await openServerWorld({ store: memoryStore({ clock }), clock });
    const heard: LiveEvent[] = [];
    let letGo: () => void = () => undefined;
    let wait: Promise<void> | undefined;
    const lookUp = async () => (await wait, owner);
    const { subscription } = await service.live.join(owner, lookUp, undefined, {
      told: (happenings) => void heard.push(...happenings.map(({ event }) => event)),
      ended: () => undefined,
    });
    await (await agent()).http.post("/v1/calls", CALL);
    await clock.advance(4 * 60_000 - 2_000);
    const place = subscription.position;
    wait = new Promise((resolve) => {
      letGo = resolve;
    });
    // After this it has to be looked up who listens, before anything is told.
    const content = { userId: owner.userId };
    await gate.note({ eventId: "1", workspaceId: "local", type: "member.joined", content, tightens: false });
    await clock.advance(3_000);
    expect(heard.at(-1)).toMatchObject({ type: "approval.expiring", seq: place });
    letGo();
    await clock.advance(10);
    expect(heard.at(-1)).toMatchObject({ type: "member.joined", seq: place + 1 });
  });
});
