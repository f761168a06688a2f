import { describe, expect, it, onTestFinished, vi } from "vitest";
import { decide, firstAsked, listen } from "../../test/server/listening.js";
import { openServerWorld } from "../../test/server/world.js";
import { type ConfirmFirst, confirmFirst, createClient, type Retry } from "./index.js";
import type { LiveEvent, LiveEvents } from "./wire-live.js";

const CALL = { tool: "email.send", args: { to: "ann@example.com", body: "hello" } };

async function openListening() {
  const world = await openServerWorld();
  const listening = await listen(world);
  const { issued } = await world.agent();
  const agent = createClient({ url: listening.url, key: issued.apiKey });
  // A browser adds its cookie and origin by itself.
  const person = createClient({ url: listening.url, fetch: withHeaders(world.browser.headers) });
  return { ...world, ...listening, issued, client: agent, person };
}

function withHeaders(more: Readonly<Record<string, string>>): typeof fetch {
  return (input, init) => fetch(input, { ...init, headers: { ...(init?.headers as object), ...more } });
}

describe("a client", () => {
  it("runs a call: asks, waits for the person, and tells the outcome", async () => {
    const world = await openListening();
    const running = world.client.run(CALL);
    const { approvals } = world.person;
    const approvalId = await firstAsked(world.browser);
    const shown = await approvals.get(approvalId);
    expect(shown.card?.humanSummary).toContain("email");
    expect(await approvals.approve(shown)).toMatchObject({ approvalId, votes: 1 });
    expect(await running).toMatchObject({ type: "succeeded", result: { done: "email.send" }, approvalId });
    expect(world.ran).toHaveLength(1);
  });

  it("tells pending at its deadline, and the approval lives on", async () => {
    const { client, browser } = await openListening();
    const told = await client.run(CALL, { deadline: 50 });
    if (told.type !== "pending") throw new Error(told.type);
    await decide(browser, told.approvalId, "deny");
    expect(await client.calls.resume(told.approvalId)).toMatchObject({ type: "denied", by: "local" });
  });

  it("reaches nothing else by an id that is a path: ids may come from a model or a link (attack F12)", async () => {
    const { client, person } = await openListening();
    for (const id of ["../events/poll", "..%2fevents%2fpoll", "../../v1/events/poll?after=0#"]) {
      await expect(client.calls.resume(id), id).rejects.toMatchObject({ code: "not_found", status: 404 });
      await expect(person.approvals.get(id), id).rejects.toMatchObject({ code: "not_found", status: 404 });
    }
  });

  it("takes a deadline that is further away than timers reach", async () => {
    const { client, browser } = await openListening();
    const running = client.run(CALL, { deadline: 90 * 86_400_000 });
    await decide(browser, await firstAsked(browser), "approve");
    expect(await running).toMatchObject({ type: "succeeded" });
  });

  it("finds the first outcome again by its own key, after any restart of the caller", async () => {
    const { client, browser, issued, url, ran } = await openListening();
    const call = { ...CALL, idempotencyKey: "order-7" };
    const told = await client.run(call, { deadline: 10 });
    await decide(browser, told.approvalId as string, "approve");
    const restarted = createClient({ url, key: issued.apiKey });
    expect(await restarted.run(call)).toMatchObject({ type: "succeeded", approvalId: told.approvalId });
    expect(ran).toHaveLength(1);
    await expect(restarted.run({ ...call, args: { to: "b", body: "other" } })).rejects.toMatchObject({
      name: "CountersignError",
      code: "idempotency_conflict",
      status: 409,
    });
  });

  it("tells what is known at its deadline, also when a timer is ahead of the clock", async () => {
    const { client } = await openListening();
    const [begun, real] = [Date.now(), Date.now.bind(Date)];
    // A clock that goes at half the speed: every timer is early.
    const clock = vi.spyOn(Date, "now").mockImplementation(() => begun + Math.floor((real() - begun) / 2));
    onTestFinished(() => clock.mockRestore());
    expect((await client.run(CALL, { deadline: 100 })).type).toBe("pending");
  });

  it("withdraws the call when the caller gives up", async () => {
    const world = await openListening();
    const aborter = new AbortController();
    const running = world.client.run(CALL, { signal: aborter.signal });
    await firstAsked(world.browser);
    aborter.abort();
    expect(await running).toMatchObject({ type: "cancelled" });
  });

  it("goes on through a break of the line, and asks once", async () => {
    const world = await openListening();
    let broken = 0;
    const flaky: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      // The server has taken it; its answer is lost.
      if (broken++ < 2) throw new TypeError("connection reset");
      return response;
    };
    const client = createClient({ url: world.url, key: world.issued.apiKey, fetch: flaky });
    const running = client.run(CALL);
    await decide(world.browser, await firstAsked(world.browser), "approve");
    expect(await running).toMatchObject({ type: "succeeded" });
    expect(world.ran).toHaveLength(1);
  });

  it("says why and for how long it waits before it asks again", async () => {
    const refusing: typeof fetch = async () =>
      Response.json(
        { code: "rate_limited", retryable: true, status: 429, detail: "At most 10 writes in 60 s." },
        { status: 429, headers: { "retry-after": "41" } },
      );
    const told: Retry[] = [];
    const aborter = new AbortController();
    const client = createClient({
      url: "http://x.test",
      key: "k",
      fetch: refusing,
      onRetry: (retry) => {
        told.push(retry);
        aborter.abort();
      },
    });
    const asked = client.calls.submit(CALL, { deadline: 60_000, signal: aborter.signal });
    await expect(asked).rejects.toMatchObject({ code: "rate_limited", retryAfter: 41_000 });
    expect(told).toEqual([{ wait: 41_000, error: expect.objectContaining({ message: "At most 10 writes in 60 s." }) }]);
  });

  it("says unreachable when nobody answers, at the deadline and not later", async () => {
    const client = createClient({ url: "http://127.0.0.1:1", key: "csk_live_x" });
    await expect(client.run(CALL, { deadline: 300 })).rejects.toMatchObject({ code: "unreachable", status: 0 });
  });

  it("takes nobody else's page for an answer", async () => {
    const page = async () => new Response("<html>signed in</html>", { status: 200 });
    const client = createClient({ url: "http://x.test", key: "k", fetch: page as typeof fetch });
    await expect(client.calls.submit(CALL, { deadline: 1 })).rejects.toMatchObject({ code: "unreachable" });
  });

  it("gives problems as errors with their code, and decides nothing by a key (I10)", async () => {
    const { client, url } = await openListening();
    await expect(client.approvals.pending()).rejects.toMatchObject({ code: "not_permitted", status: 403 });
    const stranger = createClient({ url, key: "csk_live_wrong" });
    await expect(stranger.calls.submit(CALL)).rejects.toMatchObject({ code: "not_signed_in", retryable: false });
  });
});

describe.each(["stream", "poll"] as const)("events by %s", (by) => {
  it("come in order, through breaks of the line, without a gap or a repetition", async () => {
    const { issued, browser, url } = await openListening();
    const cuts: AbortController[] = [];
    const cutting: typeof fetch = (input, init) => {
      const cut = new AbortController();
      cuts.push(cut);
      return fetch(input, { ...init, signal: AbortSignal.any([cut.signal, ...(init?.signal ? [init.signal] : [])]) });
    };
    const client = createClient({ url, key: issued.apiKey, fetch: cutting });
    const plain = createClient({ url, key: issued.apiKey });
    const seen: LiveEvent[] = [];
    const reading = (async () => {
      for await (const event of client.events({ by, after: 0 })) {
        seen.push(event);
        if (seen.filter(({ type }) => type === "call.executed").length === 4) return;
      }
    })();
    for (const body of ["a", "b", "c", "d"]) {
      const { approvalId } = await plain.calls.submit({ ...CALL, args: { to: "a", body } });
      cuts.at(-1)?.abort();
      await decide(browser, approvalId as string, "approve");
    }
    await reading;
    const { events } = await plain.request<LiveEvents>({ path: "/v1/events/poll", query: { after: 0 } });
    expect(seen).toEqual(events);
  });
});

describe("confirmation before execution", () => {
  async function asked() {
    const world = await openListening();
    const told = await world.client.calls.submit(CALL);
    const done: string[] = [];
    const app: ConfirmFirst = {
      confirm: () => true,
      apply: () => void done.push("apply"),
      forceSync: () => void done.push("forceSync"),
    };
    return { ...world, approvalId: told.approvalId as string, done, app };
  }

  it("runs after the yes and then applies locally", async () => {
    const { person, approvalId, ran, done, app } = await asked();
    const before: unknown[] = [];
    const result = await confirmFirst(person, approvalId, {
      ...app,
      confirm: (title, prompt) => {
        before.push(title, prompt, ran.length);
        return true;
      },
    });
    expect(result).toBe("applied");
    expect(before).toEqual(["Confirm Agent Action", "agent, for Owner, asks", 0]);
    expect([done, ran.length]).toEqual([["apply"], 1]);
  });

  it.each([false, "false", "yes", 1, undefined])(
    "takes %j for a no: nothing runs and nothing is to be undone",
    async (no) => {
      const { person, approvalId, ran, done, app } = await asked();
      expect(await confirmFirst(person, approvalId, { ...app, confirm: () => no as boolean })).toBe("refused");
      expect([done, ran]).toEqual([[], []]);
    },
  );

  it("reconciles by forceSync when somebody else said no first", async () => {
    const { person, approvalId, browser, ran, done, app } = await asked();
    const confirm = async () => {
      await decide(browser, approvalId, "deny");
      return true;
    };
    expect(await confirmFirst(person, approvalId, { ...app, confirm })).toBe("synced");
    expect([done, ran]).toEqual([["forceSync"], []]);
  });
});
