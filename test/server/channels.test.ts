import { afterEach, describe, expect, it } from "vitest";
import { createGate } from "../../src/create-gate.js";
import { definePolicy } from "../../src/policy/index.js";
import { serverDirectory } from "../../src/server/channels/directory.js";
import { openDesk } from "../../src/server/channels/open-desk.js";
import { serve } from "../../src/server/serve.js";
import { memoryStore } from "../../src/stores/memory.js";
import { until } from "../channels/office.js";
import type { StandIn } from "../channels/stand-in.js";
import { memoryStandIn } from "../channels/stand-ins/memory.js";
import { SlackStandIn } from "../channels/stand-ins/slack.js";
import { openServerWorld, type ServerWorld } from "./world.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server with one channel, as `serve` puts them together. */
async function openWithChannel(): Promise<{ world: ServerWorld; standIn: StandIn }> {
  const world = await openServerWorld();
  const standIn = await memoryStandIn();
  const { desk } = openDesk(world.service, {
    channels: [standIn.channel()],
    locales: { telegram: "en" },
    groups: [],
    unclear: "ask",
  });
  closing.push(() => desk.close());
  await desk.start();
  return { world, standIn };
}

async function link(world: ServerWorld, standIn: StandIn, browser = world.browser): Promise<void> {
  const { body } = await browser.post<{ code: string }>("/v1/me/accounts/code");
  await standIn.say(standIn.people.ann, standIn.chats.ann, `link ${body.code}`);
  await until(() => expect(standIn.seen(standIn.chats.ann).at(-1)?.text).toContain("Connected"));
}

async function submit(world: ServerWorld, tool = "email.send"): Promise<string> {
  const { http } = await world.agent();
  const args = tool === "tasks.clear" ? { all: true } : { to: "bob@example.com", body: "Hello" };
  const { body } = await http.post<{ approvalId: string }>("/v1/calls", { tool, args });
  return body.approvalId;
}

const card = (standIn: StandIn, chatId = standIn.chats.ann) =>
  until(() => {
    const found = standIn.seen(chatId).findLast(({ buttons }) => buttons.length > 0);
    if (found === undefined) throw new Error("no card yet");
    return found;
  });

const stateOf = async (world: ServerWorld, approvalId: string) =>
  (await world.browser.get<{ state: string }>(`/v1/approvals/${approvalId}`)).body.state;

describe("channels in a server", () => {
  it("connects the account that says a signed-in person's code, which then decides as that person", async () => {
    const { world, standIn } = await openWithChannel();
    await link(world, standIn);
    const approvalId = await submit(world);
    const { id, text } = await card(standIn);
    expect(text).toContain("bob@example.com");
    await standIn.click(standIn.people.ann, id, "Confirm");
    await until(async () => expect(await stateOf(world, approvalId)).toBe("succeeded"));
    const { body } = await world.browser.get<{ votes: { assurance: string }[] }>(`/v1/approvals/${approvalId}`);
    expect(body.votes.map(({ assurance }) => assurance)).toEqual(["card"]);
  });

  it("spends a code once, and only in a private chat (attack E9)", async () => {
    const { world, standIn } = await openWithChannel();
    const { body } = await world.browser.post<{ code: string }>("/v1/me/accounts/code");
    await standIn.say(standIn.people.eve, standIn.chats.team, `link ${body.code}`);
    await standIn.say(standIn.people.ann, standIn.chats.ann, `link ${body.code}`);
    await standIn.say(standIn.people.eve, standIn.chats.eve, `link ${body.code}`);
    expect(standIn.seen(standIn.chats.eve).at(-1)?.text).toContain("used already");
    const { body: mine } = await world.browser.get<{ accounts: { platformId: string }[] }>("/v1/me/accounts");
    expect(mine.accounts.map(({ platformId }) => platformId)).toEqual([standIn.people.ann]);
  });

  it("brings nothing to an account that was disconnected, and takes nothing from it (I11)", async () => {
    const { world, standIn } = await openWithChannel();
    await link(world, standIn);
    const first = await submit(world);
    const { id } = await card(standIn);
    const { body } = await world.browser.get<{ accounts: { accountId: string }[] }>("/v1/me/accounts");
    const [account] = body.accounts;
    expect((await world.browser.send("DELETE", `/v1/me/accounts/${account?.accountId}`)).status).toBe(204);
    expect(await standIn.click(standIn.people.ann, id, "Confirm")).toContain("not connected");
    expect(await stateOf(world, first)).toBe("pending");
    expect((await world.browser.send("DELETE", `/v1/me/accounts/${account?.accountId}`)).status).toBe(404);
  });

  it("takes nothing from somebody who was removed from the workspace (I11)", async () => {
    const { world, standIn } = await openWithChannel();
    const carol = await world.join("Carol", "approver");
    await link(world, standIn, carol.browser);
    const approvalId = await submit(world);
    const { id } = await card(standIn);
    await world.service.identity.members.remove(world.owner, carol.userId);
    expect(await standIn.click(standIn.people.ann, id, "Approve")).toContain("not connected");
    expect(await stateOf(world, approvalId)).toBe("pending");
  });

  it("writes down that an account was connected and disconnected, and never its code (I7)", async () => {
    const { world, standIn } = await openWithChannel();
    await link(world, standIn);
    const { body } = await world.browser.get<{ accounts: { accountId: string }[] }>("/v1/me/accounts");
    await world.browser.send("DELETE", `/v1/me/accounts/${body.accounts[0]?.accountId}`);
    const entries = await world.gate.entries("local", 0, 1_000);
    const about = entries.filter(({ type }) => type.startsWith("account."));
    expect(about.map(({ type }) => type)).toEqual(["account.linked", "account.unlinked"]);
    expect((await world.gate.verify("local")).ok).toBe(true);
  });

  it("makes no code for an agent's key or somebody who is not signed in (attack D11)", async () => {
    const { world } = await openWithChannel();
    const { http } = await world.agent();
    expect((await http.post("/v1/me/accounts/code")).status).toBe(403);
    expect((await world.visitor({}).post("/v1/me/accounts/code")).status).toBe(401);
  });

  it("gives the usual time to decide while a chat reaches somebody, and the longer one while none does (C22)", async () => {
    const { world, standIn } = await openWithChannel();
    const left = async (approvalId: string) => {
      const { body } = await world.browser.get<{ requestedAt: string; expiresAt: string }>(
        `/v1/approvals/${approvalId}`,
      );
      return Date.parse(body.expiresAt) - Date.parse(body.requestedAt);
    };
    expect(await left(await submit(world))).toBe(30 * 60_000);
    await link(world, standIn);
    expect(await left(await submit(world, "tasks.clear"))).toBe(5 * 60_000);
  });

  it("refuses a callback that is too large unread, with one entry, and every further one (attack E1)", async () => {
    const slack = await SlackStandIn.open();
    closing.push(() => slack.close());
    const served = await serve(createGate({ store: memoryStore(), tools: [] }), {
      port: 0,
      web: false,
      channels: { channels: [slack.channel({ mode: "webhook" })], locales: {}, groups: [], unclear: "ask" },
    });
    closing.push(() => served.close());
    const knock = (bytes: number) =>
      fetch(`${served.url}/channels/slack/webhook`, { method: "POST", body: Buffer.alloc(bytes) }).then(
        ({ status }) => status,
        // The server may hang up on a sender that has not listened to its answer.
        () => 413,
      );
    expect(await knock(256 * 1_024 + 1)).toBe(413);
    expect(await knock(4 * 1_024 * 1_024)).toBe(413);
    expect(await knock(256 * 1_024)).toBe(401);
    const entries = await served.service.gate.entries("local", 0, 1_000);
    const said = entries.filter(({ type }) => type === "channel.refused").map(({ content }) => String(content));
    expect(said.map((content) => (JSON.parse(content) as { why: string }).why)).toEqual([
      "too_large",
      "too_large",
      "signature",
    ]);
  });

  it("approves on a channel only the tiers that the policy names for it", async () => {
    const { world } = await openWithChannel();
    const rules = [{ id: "r", when: true, effect: "confirm" }] as const;
    const policy = definePolicy({ version: 1, channels: { telegram: ["R0", "R1", "R2"], slack: [] }, rules });
    const { identity } = world.service;
    const directory = serverDirectory({ identity, channels: ["telegram", "slack"], policy: () => policy });
    expect(await directory.mayApproveOn("telegram", "R2")).toBe(true);
    expect(await directory.mayApproveOn("telegram", "R3")).toBe(false);
    expect(await directory.mayApproveOn("slack", "R0")).toBe(false);
    expect(await directory.mayApproveOn("feishu", "R4")).toBe(true);
  });
});
