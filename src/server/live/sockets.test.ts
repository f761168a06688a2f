import { describe, expect, it } from "vitest";
import { decide, listen, openDevice, type Told } from "../../../test/server/listening.js";
import { openServerWorld } from "../../../test/server/world.js";
import { defineTool, memoryStore } from "../../index.js";
import { fakeClock } from "../../testing/index.js";

const ASKED = "app_skill_confirmation_required";
const call = (body: string) => ({ tool: "email.send", args: { to: "ann@example.com", body } });

async function openListening(options?: Parameters<typeof openServerWorld>[0]) {
  const world = await openServerWorld(options);
  const { http } = await world.agent();
  const ask = async (body = "hello") =>
    (await http.post<{ approvalId: string; confirmationToken: string }>("/v1/calls", call(body))).body;
  return { ...world, ...(await listen(world)), http, ask };
}

function answerTo({ payload }: Told, decision: unknown = "approve") {
  return { app_skill_id: payload["app_skill_id"], confirmation_token: payload["confirmation_token"], decision };
}

describe("the socket", () => {
  it("asks every connected device of the person, and the first answer wins (C8, C37)", async () => {
    const { url, browser, ask, ran } = await openListening();
    const [phone, laptop] = [await openDevice(url, browser), await openDevice(url, browser)];
    await Promise.all([phone.next("connected"), laptop.next("connected")]);
    const { approvalId } = await ask();
    const [onPhone, onLaptop] = [await phone.next(ASKED), await laptop.next(ASKED)];
    expect(Object.keys(onPhone.payload).sort()).toEqual(
      "action_type app_id app_skill_id confirmation_token description details expires_at skill_id".split(" "),
    );
    expect(onPhone.payload).toMatchObject({
      app_skill_id: approvalId,
      action_type: "send_email",
      skill_id: "email.send",
      app_id: "email",
      confirmation_token: expect.stringMatching(/^pa_[0-9a-f]{32}$/),
    });
    expect((await phone.respond({ ...answerTo(onPhone), group_mode: false })).payload).toMatchObject({
      results: [{ app_skill_id: approvalId, ok: true }],
    });
    expect((await laptop.next("app_skill_approved")).payload).toMatchObject({
      decided_by: "local",
      decided_by_name: "Owner",
    });
    expect((await laptop.next("app_skill_completed")).payload).toMatchObject({
      app_skill_id: approvalId,
      status: "succeeded",
      decided_by: "local",
    });
    expect((await laptop.respond(answerTo(onLaptop, "reject"))).payload).toMatchObject({
      results: [{ ok: false, code: "already_resolved", decided_by: "local", decided_by_name: "Owner" }],
    });
    expect(ran).toHaveLength(1);
  });

  it("tells rejections, withdrawals and who it was (C16)", async () => {
    const { url, browser, ask, http } = await openListening();
    const device = await openDevice(url, browser);
    const { approvalId } = await ask("one");
    await device.respond({ ...answerTo(await device.next(ASKED), "reject"), reason: "not today" });
    expect((await device.next("app_skill_rejected")).payload).toMatchObject({
      app_skill_id: approvalId,
      decided_by: "local",
      reason: "not today",
    });
    const second = await ask("two");
    await device.next(ASKED);
    await http.post(`/v1/calls/${second.approvalId}/cancel`, {});
    expect((await device.next("app_skill_cancelled")).payload).toMatchObject({ app_skill_id: second.approvalId });
  });

  it("decides a group item by item, each by its own token (F-C2)", async () => {
    const { url, browser, ask, ran } = await openListening();
    const device = await openDevice(url, browser);
    const ids = [(await ask("a")).approvalId, (await ask("b")).approvalId, (await ask("c")).approvalId];
    const shown = new Map<string, string>();
    for (const _ of ids) {
      const { payload } = await device.next(ASKED);
      shown.set(payload["app_skill_id"] as string, payload["confirmation_token"] as string);
    }
    const [a = "", b = "", c = ""] = ids;
    const unknown = "018f0000-0000-7000-8000-000000000000";
    const { payload } = await device.respond({
      app_skill_id: [a, b, c, unknown],
      confirmation_token: shown.get(a),
      confirmation_tokens: { [a]: shown.get(a), [c]: shown.get(a), [unknown]: shown.get(a) },
      decision: "approve",
      group_mode: true,
    });
    expect(payload["results"]).toMatchObject([
      { app_skill_id: a, ok: true },
      { app_skill_id: b, ok: false, code: "token_mismatch" },
      { app_skill_id: c, ok: false, code: "token_mismatch" },
      { app_skill_id: unknown, ok: false, code: "not_found" },
    ]);
    await device.next("app_skill_completed");
    expect(ran).toHaveLength(1);
  });

  it("takes nothing but exact words and types for an answer (F-C6)", async () => {
    const { url, browser, ask, ran } = await openListening();
    const device = await openDevice(url, browser);
    await ask();
    const asked = await device.next(ASKED);
    const good = answerTo(asked);
    const wrong: unknown[] = [
      { ...good, decision: "true" },
      { ...good, decision: true },
      { ...good, decision: "Approve" },
      { ...good, decision: undefined },
      { ...good, app_skill_id: [] },
      { ...good, app_skill_id: "" },
      { ...good, app_skill_id: null },
      { ...good, app_skill_id: [good.app_skill_id, good.app_skill_id] },
      { ...good, app_skill_id: { 0: good.app_skill_id } },
      { ...good, group_mode: "false" },
      { ...good, group_mode: true },
      { ...good, approved: true },
      null,
      "approve",
    ];
    for (const payload of wrong) expect((await device.respond(payload)).type).toBe("error");
    for (const confirmation_token of [undefined, "", "pa_00000000000000000000000000000000"]) {
      const { payload } = await device.respond({ ...good, confirmation_token });
      expect(payload).toMatchObject({ results: [{ ok: false, code: "token_mismatch" }] });
    }
    for (const raw of ["", "{", "[]", "null", '{"type":"approve"}', '{"type":"x","type":"y"}']) {
      device.send(raw);
      expect((await device.next("error")).payload["code"]).toMatch(/^invalid_/);
    }
    expect(ran).toEqual([]);
    expect((await device.respond(good)).payload).toMatchObject({ results: [{ ok: true }] });
  });

  it("does not take the agent's own token, nor another session's, for what was shown (F-C3)", async () => {
    const { url, browser, ask, join, ran } = await openListening();
    const approver = await join("Ann", "approver");
    const [mine, theirs] = [await openDevice(url, browser), await openDevice(url, approver.browser)];
    const { confirmationToken } = await ask();
    const asked = await mine.next(ASKED);
    await theirs.next(ASKED);
    for (const [device, confirmation_token] of [
      [mine, confirmationToken],
      [theirs, asked.payload["confirmation_token"]],
    ] as const) {
      const { payload } = await device.respond({ ...answerTo(asked), confirmation_token });
      expect(payload).toMatchObject({ results: [{ ok: false, code: "token_mismatch" }] });
    }
    expect(ran).toEqual([]);
  });

  it("shows no card of a long call, and takes no yes to what it did not show, but a no (I3, attack F11)", async () => {
    const { url, browser, ask, ran } = await openListening();
    const device = await openDevice(url, browser);
    await ask("x".repeat(70_000));
    const asked = await device.next(ASKED);
    expect(asked.payload).toMatchObject({ decide_in_browser: true, description: "email.send" });
    expect(asked.payload["details"]).toBeUndefined();
    const yes = await device.respond({ ...answerTo(asked), decision: "approve" });
    expect(yes.payload).toMatchObject({ results: [{ ok: false, code: "step_up_required" }] });
    const no = await device.respond({ ...answerTo(asked), decision: "reject" });
    expect(no.payload).toMatchObject({ results: [{ ok: true, state: "denied" }] });
    expect(ran).toEqual([]);
  });

  it("takes no yes to a card that could not be drawn, but a no (I3, I9)", async () => {
    const note = { en: "It cannot be called back.", zh: "无法撤回。" };
    const tool = defineTool({ name: "email.send", confirm: true, rollback: { note }, execute: () => ran.push("sent") });
    const ran: string[] = [];
    const { url, browser, ask } = await openListening({ tools: [tool] });
    const device = await openDevice(url, browser);
    await device.next("connected");
    Object.defineProperty(note, "en", {
      get() {
        throw new Error("no note any more");
      },
    });
    await ask();
    const asked = await device.next(ASKED);
    expect(asked.payload["details"]).toBeUndefined();
    expect((await device.respond(answerTo(asked))).payload).toMatchObject({
      results: [{ ok: false, code: "step_up_required" }],
    });
    const no = await device.respond({ ...answerTo(asked), decision: "reject" });
    expect(no.payload).toMatchObject({ results: [{ ok: true, state: "denied" }] });
    expect(ran).toEqual([]);
  });

  it("shows an edited call anew; the token of the old one decides nothing (I3)", async () => {
    const { url, browser, ask, join } = await openListening({ audience: () => ({ roles: ["owner"], quorum: 2 }) });
    const second = await join("Olga", "owner");
    const device = await openDevice(url, browser);
    const { approvalId } = await ask();
    const before = await device.next(ASKED);
    const { body } = await second.browser.get<{ toolCallHash: string }>(`/v1/approvals/${approvalId}`);
    await second.browser.post(`/v1/approvals/${approvalId}/decision`, {
      decision: "approve",
      toolCallHash: body.toolCallHash,
      args: { to: "bob@example.com", body: "changed" },
    });
    const after = await device.next(ASKED);
    expect(JSON.stringify(after.payload["details"])).toContain("bob@example.com");
    expect((await device.respond(answerTo(before))).payload).toMatchObject({
      results: [{ ok: false, code: "token_mismatch" }],
    });
    expect((await device.respond(answerTo(after))).payload).toMatchObject({ results: [{ ok: true }] });
  });

  it("shows what waits again on reconnect, and tells what was missed from a place on (C23)", async () => {
    const { url, browser, ask } = await openListening();
    const first = await openDevice(url, browser);
    const open = await ask("open");
    const ends = await ask("ends");
    const asked = [await first.next(ASKED), await first.next(ASKED)];
    first.socket.terminate();
    await first.closed;
    await decide(browser, ends.approvalId, "deny");
    const again = await openDevice(url, browser, `?after=${asked[1]?.seq}`);
    expect((await again.next(ASKED)).payload).toMatchObject({ app_skill_id: open.approvalId });
    expect((await again.next("app_skill_rejected")).payload).toMatchObject({ app_skill_id: ends.approvalId });
    expect(again.seen.filter(({ type }) => type === ASKED)).toHaveLength(1);
  });

  it("says that a yes of the highest risk in a group is given alone, and takes it alone", async () => {
    const { url, browser, http, ask } = await openListening();
    const device = await openDevice(url, browser);
    const { body } = await http.post<{ approvalId: string }>("/v1/calls", { tool: "tasks.clear", args: { all: true } });
    const danger = await device.next(ASKED);
    const { approvalId } = await ask();
    const other = await device.next(ASKED);
    const { payload } = await device.respond({
      app_skill_id: [body.approvalId, approvalId],
      confirmation_tokens: {
        [body.approvalId]: danger.payload["confirmation_token"],
        [approvalId]: other.payload["confirmation_token"],
      },
      decision: "approve",
      group_mode: true,
    });
    expect(payload["results"]).toMatchObject([{ ok: false, code: "invalid_decision" }, { ok: true }]);
    expect((await device.respond(answerTo(danger))).payload).toMatchObject({ results: [{ ok: true }] });
  });

  it("reminds one minute before the end, then tells the expiry (C17)", async () => {
    const clock = fakeClock(Date.now());
    const { url, browser, ask } = await openListening({ clock, store: memoryStore({ clock }) });
    const device = await openDevice(url, browser);
    await device.next("connected");
    const { approvalId } = await ask();
    await clock.advance(10);
    await device.next(ASKED);
    await clock.advance(4 * 60_000 - 20);
    expect(device.seen.some(({ type }) => type === "app_skill_expiring")).toBe(false);
    await clock.advance(1_000);
    expect((await device.next("app_skill_expiring")).payload).toMatchObject({ app_skill_id: approvalId });
    await clock.advance(62_000);
    expect((await device.next("app_skill_expired")).payload).toMatchObject({ app_skill_id: approvalId });
  });
});

describe("time to decide", () => {
  it("is short while somebody who may answer is connected, and long while nobody is (C22)", async () => {
    const { url, browser, ask, join } = await openListening();
    const minutes = async (approvalId: string) => {
      const { body } = await browser.get<{ requestedAt: string; expiresAt: string }>(`/v1/approvals/${approvalId}`);
      return (Date.parse(body.expiresAt) - Date.parse(body.requestedAt)) / 60_000;
    };
    expect(await minutes((await ask("nobody")).approvalId)).toBe(30);
    const member = await join("Max", "member");
    const bystander = await openDevice(url, member.browser);
    await bystander.next("connected");
    expect(await minutes((await ask("not for Max")).approvalId)).toBe(30);
    const device = await openDevice(url, browser);
    await device.next("connected");
    expect(await minutes((await ask("here")).approvalId)).toBe(5);
  });
});

describe("who may open a socket", () => {
  it.each(["https://evil.example", "null", "http://sub.localhost:4801", "http://localhost:4802", "http://localhost"])(
    "not a page from %s, whatever cookie it brings (attack F2)",
    async (origin) => {
      const { url, browser } = await openListening();
      await expect(openDevice(url, { headers: { ...browser.headers, origin } })).rejects.toThrow("403");
    },
  );

  it("not a cookie without an origin, nor a key, nor a wrong token, nor another path", async () => {
    const { url, browser, http } = await openListening();
    const { origin: _, ...bare } = browser.headers;
    await expect(openDevice(url, { headers: bare })).rejects.toThrow("403");
    await expect(openDevice(url, http)).rejects.toThrow("403");
    await expect(openDevice(url, { headers: { authorization: "Bearer css_wrong" } })).rejects.toThrow("401");
    await expect(openDevice(`${url}/v1/events`, browser)).rejects.toThrow("404");
  });

  it("a terminal by its token in a header or in the first message; it decides up to R2 (attack D11)", async () => {
    const clock = fakeClock(Date.now());
    const { url, service, ask, ran, owner } = await openListening({ clock, store: memoryStore({ clock }) });
    const begun = await service.identity.cliSignIns.begin("test");
    await service.identity.cliSignIns.decide(owner.session, begun.userCode, "approve");
    await clock.advance(10_000);
    const polled = await service.identity.cliSignIns.poll(begun.deviceCode);
    if (polled.type !== "signed_in") throw new Error(polled.type);
    const { token } = polled;
    const byHeader = await openDevice(url, { headers: { authorization: `Bearer ${token}` } });
    await byHeader.next("connected");
    const byMessage = await openDevice(url, { headers: {} }, "", { type: "authenticate", payload: { token } });
    await byMessage.next("connected");
    await ask();
    await clock.advance(10);
    const asked = await byMessage.next(ASKED);
    expect(asked.payload).toMatchObject({ decide_in_browser: true });
    expect((await byMessage.respond(answerTo(asked))).payload).toMatchObject({
      results: [{ ok: false, code: "step_up_required" }],
    });
    expect(ran).toEqual([]);
    expect((await byMessage.respond(answerTo(asked, "reject"))).payload).toMatchObject({ results: [{ ok: true }] });
  });

  it("nobody who says something else first, or a browser's token there", async () => {
    const { url, ownerToken } = await openListening();
    for (const hello of [
      { type: "app_skill_confirmation_response", payload: {} },
      { type: "authenticate", payload: { token: ownerToken } },
      { type: "authenticate" },
      null,
    ]) {
      const device = await openDevice(url, { headers: {} }, "", hello ?? {});
      expect(await device.closed).toBe(4401);
    }
  });

  it("a browser by the ticket of its own session, once and soon; a cookie alone is shown nothing (attack F2)", async () => {
    const clock = fakeClock(Date.now());
    const world = await openListening({ clock, store: memoryStore({ clock }) });
    const { url, browser, join, ask, ran } = world;
    const ticketOf = async (visitor: typeof browser) =>
      (await visitor.post<{ ticket: string }>("/v1/socket/ticket")).body.ticket;
    const [own, used, late] = [await ticketOf(browser), await ticketOf(browser), await ticketOf(browser)];
    const foreign = await ticketOf((await join("Ann", "approver")).browser);
    const hello = (ticket: unknown) => ({ type: "authenticate", payload: { ticket } });
    await (await openDevice(url, browser, "", hello(own))).next("connected");
    await (await openDevice(url, browser, "", hello(used))).next("connected");
    await ask();
    for (const ticket of [used, foreign, `${own.slice(0, -1)}x`, "", undefined, 7, world.ownerToken]) {
      const device = await openDevice(url, browser, "", hello(ticket));
      expect(await device.closed).toBe(4401);
      expect(device.seen).toEqual([]);
    }
    const silent = await openDevice(url, browser, "", { type: "ping" });
    expect([await silent.closed, silent.seen]).toEqual([4401, []]);
    await clock.advance(31_000);
    expect(await (await openDevice(url, browser, "", hello(late))).closed).toBe(4401);
    expect(ran).toEqual([]);
  });

  it("no other site's page gets a ticket, nor a key or a terminal (attack F2)", async () => {
    const { browser, visitor, http } = await openListening();
    const foreign = visitor({ ...browser.headers, origin: "https://evil.example" });
    expect((await foreign.post("/v1/socket/ticket")).status).toBe(403);
    expect((await http.post("/v1/socket/ticket")).status).toBe(403);
    expect((await visitor({}).post("/v1/socket/ticket")).status).toBe(401);
  });

  it("is shown the door when the session is revoked, within a poll", async () => {
    const { url, browser, service, owner } = await openListening();
    const device = await openDevice(url, browser);
    await device.next("connected");
    await service.identity.sessions.revoke(owner.session, owner.session.sessionId);
    expect(await device.closed).toBe(4401);
  });

  it("is shown the door when the membership ends, and decides nothing after that", async () => {
    const { url, ask, join, service, owner, ran } = await openListening();
    const approver = await join("Ann", "approver");
    const device = await openDevice(url, approver.browser);
    await ask();
    const asked = await device.next(ASKED);
    const removed = service.identity.members.remove(owner, approver.userId);
    await removed;
    device.send({ type: "app_skill_confirmation_response", payload: answerTo(asked) });
    expect(await device.closed).toBe(4401);
    expect(ran).toEqual([]);
  });

  it("is cut off for a message that is too large", async () => {
    const { url, browser } = await openListening();
    const device = await openDevice(url, browser);
    await device.next("connected");
    device.send(`{"type":"${"x".repeat(300_000)}"}`);
    expect(await device.closed).toBe(1009);
  });

  it("is not counted among the person's fifty when it went away while it signed in", async () => {
    const { url, browser, service } = await openListening();
    const { socketTickets } = service.identity;
    const spend = socketTickets.spend.bind(socketTickets);
    let letGo: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    socketTickets.spend = async (...asked) => (await slow, spend(...asked));
    const leaving = await Promise.all(Array.from({ length: 50 }, () => openDevice(url, browser)));
    for (const { socket } of leaving) socket.close();
    await Promise.all(leaving.map(({ closed }) => closed));
    letGo();
    await (await openDevice(url, browser)).next("connected");
  });
});
