import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChannelSetup, serve } from "countersign/server";
import { openDatabase } from "countersign/stores/sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { answerChats } from "../../assistant/src/chats.js";
import { openHome } from "../../assistant/src/home.js";
import { assistantMounts } from "../../assistant/src/mounts.js";
import type { StandIn } from "./stand-in.js";
import { dingtalkStandIn } from "./stand-ins/dingtalk.js";
import { feishuStandIn } from "./stand-ins/feishu.js";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const until = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 20_000, interval: 20 });

/** The assistant with its server, reached through a platform: Ann's chat is the owner's, Bob's is a further member's. */
async function site(standIn: StandIn) {
  closing.push(() => standIn.close());
  const folder = mkdtempSync(join(tmpdir(), "countersign-chats-"));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const home = openHome({ folder, locale: "zh" });
  // The stand-in speaks to the sources, the assistant to the built package: the same channel, by two names.
  const channel = standIn.channel() as unknown as ChannelSetup["channels"][number];
  const setup: ChannelSetup = { channels: [channel], locales: { [channel.name]: "zh" }, groups: [], unclear: "ask" };
  const server = await serve(home.gate, {
    port: 0,
    web: false,
    identity: join(folder, "identity.db"),
    mounts: assistantMounts(home.assistant),
    channels: setup,
  });
  closing.push(() => server.close());
  closing.push(() => home.assistant.close());
  if (server.bus === undefined) throw new Error("The server has no bus.");
  const chats = answerChats({ bus: server.bus, assistant: home.assistant, locale: "zh" });
  closing.push(() => chats.stop());

  const { identity } = server.service;
  const link = new URL(await server.signInLink());
  const owner = await identity.signInLinks.redeem(link.hash.slice("#t=".length));
  const enter = async (session: typeof owner.session) => {
    const principal = await identity.sessions.enter(session, home.gate.caller.workspaceId);
    if (principal === undefined) throw new Error("Not a member.");
    return principal;
  };
  const ann = await enter(owner.session);
  const invitation = await identity.invitations.create(ann, "approver");
  const joined = await identity.invitations.acceptAsNew(invitation.token, { name: "Bob" });
  await identity.members.confirm(ann, joined.session.userId);
  const bob = await enter(joined.session);
  for (const [who, principal] of [
    ["ann", ann],
    ["bob", bob],
  ] as const) {
    const { code } = await identity.accounts.createCode(principal);
    await standIn.say(standIn.people[who], standIn.chats[who], `连接 ${code}`);
    await shows(standIn, standIn.chats[who], "已关联");
  }
  const database = openDatabase(join(folder, "data.db"));
  closing.push(() => database.close());
  database.exec("CREATE TABLE orders (id INTEGER, status INTEGER); INSERT INTO orders VALUES (1, 1), (2, 1), (3, 0)");
  database.exec("CREATE TABLE items (id INTEGER, status INTEGER); INSERT INTO items VALUES (1, 1), (2, 0)");
  const rows = (table: string) =>
    (database.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows;
  const person = {
    kind: "person",
    userId: ann.userId,
    workspaceId: ann.workspaceId,
    sessionId: ann.session.sessionId,
  } as const;
  return { rows, gate: home.gate, person };
}

const shows = (standIn: StandIn, chatId: string, text: string) =>
  until(() => {
    const found = standIn.seen(chatId).findLast((message) => message.text.includes(text));
    if (found !== undefined) return found;
    throw new Error(
      `"${text}" is not in:\n${standIn
        .seen(chatId)
        .map((each) => each.text)
        .join("\n---\n")}`,
    );
  });

/** The card is whole once its buttons stand there; some platforms put them below it. */
async function card(standIn: StandIn, chatId: string, text: string) {
  const found = await shows(standIn, chatId, text);
  if (found.buttons.length === 0) {
    await until(() => {
      const after = standIn.seen(chatId).findLastIndex(({ buttons }) => buttons.length > 0);
      expect(after).toBeGreaterThanOrEqual(standIn.seen(chatId).findIndex(({ id }) => id === found.id));
    });
  }
  return found;
}

/** People read before they answer; the clock of some platforms counts whole seconds. */
const READ = { shift: 3_000 };

const PLATFORMS: Readonly<Record<string, () => Promise<StandIn>>> = {
  "the Feishu stand-in": () => feishuStandIn(),
  "the DingTalk stand-in with a template": () => dingtalkStandIn({ template: true }),
  "the DingTalk stand-in without one": () => dingtalkStandIn({ template: false }),
};

describe.each(Object.entries(PLATFORMS))("seed E through %s", (_, open) => {
  it("holds a Chinese delete, runs it once after 确认, and answers (E3–E9, E23)", async () => {
    const standIn = await open();
    const { rows } = await site(standIn);
    const { people, chats } = standIn;
    await standIn.say(people.ann, chats.ann, "删除 orders 表里 status=1 的记录");
    await card(standIn, chats.ann, "DELETE FROM orders WHERE status = 1");
    expect(rows("orders")).toBe(3);
    await standIn.say(people.ann, chats.ann, "确认", READ);
    await shows(standIn, chats.ann, "已更改 2 行");
    expect(rows("orders")).toBe(1);
  });

  it("keeps two chats apart that wait at the same time, and answers each (E13, E16, F-E6)", async () => {
    const standIn = await open();
    const { rows } = await site(standIn);
    const { people, chats } = standIn;
    await standIn.say(people.ann, chats.ann, "删除 orders 表里 status=1 的记录");
    await standIn.say(people.bob, chats.bob, "删除 items 表里 status=1 的记录");
    await card(standIn, chats.ann, "DELETE FROM orders");
    const question = await card(standIn, chats.bob, "DELETE FROM items");
    // Both may answer both, so that each names the one that is meant.
    const code = /确认 (\d\d)/.exec(question.text)?.[1] ?? "";
    await standIn.say(people.bob, chats.bob, `确认 ${code}`);
    await shows(standIn, chats.bob, "已更改 1 行");
    expect([rows("orders"), rows("items")]).toEqual([3, 1]);
    const first = await shows(standIn, chats.ann, "DELETE FROM orders");
    await standIn.say(people.ann, chats.ann, `取消 ${/取消 (\d\d)/.exec(first.text)?.[1] ?? ""}`);
    await shows(standIn, chats.ann, "拒绝");
    expect([rows("orders"), rows("items")]).toEqual([3, 1]);
  });

  it("asks which one is meant when a second item is open (F-E5)", async () => {
    const standIn = await open();
    const { rows } = await site(standIn);
    const { people, chats } = standIn;
    await standIn.say(people.ann, chats.ann, "删除 orders 表里 status=1 的记录");
    await card(standIn, chats.ann, "DELETE FROM orders");
    await standIn.say(people.ann, chats.ann, "删除 items 表里 status=1 的记录");
    const second = await card(standIn, chats.ann, "DELETE FROM items");
    await standIn.say(people.ann, chats.ann, "确认", READ);
    await shows(standIn, chats.ann, "是哪一项");
    expect([rows("orders"), rows("items")]).toEqual([3, 2]);
    await standIn.say(people.ann, chats.ann, `确认 ${/确认 (\d\d)/.exec(second.text)?.[1] ?? ""}`);
    await until(() => expect([rows("orders"), rows("items")]).toEqual([3, 1]));
  });

  it("tells when nobody answered in time, and runs nothing (E15, F-8)", async () => {
    const standIn = await open();
    const { rows, gate, person } = await site(standIn);
    const { people, chats } = standIn;
    await gate.updateSettings({ tools: { "data.modify": { ttl: 2_500 } } }, person);
    await standIn.say(people.ann, chats.ann, "删除 orders 表里 status=1 的记录");
    await shows(standIn, chats.ann, "DELETE FROM orders");
    await shows(standIn, chats.ann, "已过期");
    expect(rows("orders")).toBe(3);
  });
});
