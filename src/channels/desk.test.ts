import { afterEach, describe, expect, it } from "vitest";
import { type Office, openOffice, until } from "../../test/channels/office.js";
import { memoryStandIn } from "../../test/channels/stand-ins/memory.js";
import { createGate, defineTool, memoryStore } from "../index.js";
import { fakeClock } from "../testing/index.js";
import { type Channel, ChannelError } from "./channel.js";
import { Desk } from "./desk.js";
import { fixedDirectory, type KnownPerson } from "./fixed-directory.js";
import { memoryBook } from "./memory-book.js";

const offices: Office[] = [];
const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
  for (const office of offices.splice(0)) await office.close();
});

async function enter(): Promise<Office> {
  const office = await openOffice(await memoryStandIn());
  offices.push(office);
  return office;
}

/** Another desk on the office's gate, with the given channels and people. */
async function secondDesk(office: Office, gone: readonly ("slack" | "telegram")[], people: readonly KnownPerson[]) {
  const channels = (["slack", "telegram"] as const).map((name) => ({
    ...office.standIn.channel(),
    name,
    ...(gone.includes(name)
      ? { deliver: () => Promise.reject(new ChannelError("gone", "the bot was removed from this chat")) }
      : {}),
  }));
  const book = memoryBook();
  await book.moveCursor("home", 0);
  const workspaces = async () => ["home"];
  const desk = new Desk({ gate: office.gate, channels, book, directory: fixedDirectory(people), workspaces });
  desks.push(desk);
  await desk.start();
  return book;
}

const ann = (accounts: KnownPerson["accounts"]): KnownPerson => ({ userId: "ann", workspaceId: "home", accounts });
const on = (channel: "slack" | "telegram") => ({
  account: { channel, tenant: "t", id: "u" },
  chat: { kind: "private" as const, id: `${channel}-ann` },
});

/** A gate and a desk with one channel, on a clock that stands. */
async function onFakeTime(office: Office, deliver: Channel["deliver"]) {
  const clock = fakeClock();
  const tool = defineTool({
    name: "mail.send",
    effect: "write",
    confirm: true,
    ttl: 3_600_000,
    execute: () => "done",
  });
  const gate = createGate({ store: memoryStore({ clock }), clock, tools: [tool] });
  const channel = { ...office.standIn.channel(), name: "slack" as const, deliver };
  const book = memoryBook();
  const { userId, workspaceId } = gate.caller;
  const directory = fixedDirectory([{ userId, workspaceId, accounts: [on("slack")] }]);
  const desk = new Desk({ gate, channels: [channel], book, directory, workspaces: async () => [workspaceId], clock });
  desks.push(desk);
  await desk.start();
  return { clock, gate, book };
}

describe("Desk", () => {
  it("tries a person's next account when the first cannot be reached", async () => {
    const office = await enter();
    const book = await secondDesk(office, ["slack"], [ann([on("slack"), on("telegram")])]);
    const approvalId = await office.ask();
    await until(async () => {
      const states = (await book.ofApproval(approvalId)).map(({ channel, state }) => `${channel} ${state}`);
      expect(states).toEqual(["slack failed", "telegram sent"]);
    });
    expect(await office.entries("approval.unreached")).toBe(0);
  });

  it("says in the chain, once, that nobody who may answer was reached (I9)", async () => {
    const office = await enter();
    await secondDesk(office, ["slack", "telegram"], [ann([on("slack"), on("telegram")])]);
    const approvalId = await office.ask();
    await until(async () => expect(await office.entries("approval.unreached")).toBe(1));
    const [entry] = (await office.gate.entries("home", 0, 100)).filter(({ type }) => type === "approval.unreached");
    expect(entry?.ref).toBe(approvalId);
  });

  it("tries for as long as the question is open, though it has said that nobody was reached (I9)", async () => {
    const office = await enter();
    const channel = office.standIn.channel();
    let isDown = true;
    const { clock, gate, book } = await onFakeTime(office, (...asked) =>
      isDown ? Promise.reject(new ChannelError("down", "no answer")) : channel.deliver(...asked),
    );
    const { workspaceId } = gate.caller;
    const { approvalId = "" } = await gate.submit({ tool: "mail.send" });
    const unreached = async () =>
      (await gate.entries(workspaceId, 0, 100)).filter(({ type }) => type === "approval.unreached");
    await clock.advance(15 * 60_000);
    expect(await unreached()).toHaveLength(1);
    isDown = false;
    await clock.advance(2 * 60_000);
    expect(await book.ofApproval(approvalId)).toMatchObject([{ state: "sent" }]);
    expect(await unreached()).toHaveLength(1);
    await gate.close();
  });

  it.each([0, -5_000, 0.2, Number.NaN])(
    "tries no more than once a second, also where a platform asks for %d milliseconds",
    async (retryAfter) => {
      let tries = 0;
      const busy = () => {
        tries += 1;
        return Promise.reject(new ChannelError("busy", "too many", { retryAfter }));
      };
      const { clock, gate } = await onFakeTime(await enter(), busy);
      await gate.submit({ tool: "mail.send" });
      await clock.advance(10_000);
      expect(tries).toBeGreaterThan(2);
      expect(tries).toBeLessThanOrEqual(11);
      await gate.close();
    },
  );

  it("puts an edited question anew, and the old card says so (I3)", async () => {
    const office = await openOffice(await memoryStandIn(), { quorum: 2 });
    offices.push(office);
    const { chats } = office.standIn;
    const approvalId = await office.ask("first");
    const { id } = await office.question(chats.ann, "first");
    const bob = { kind: "person", userId: "bob", workspaceId: "home" } as const;
    const card = await office.gate.card(approvalId, bob);
    await office.gate.decide(
      { approvalId, decision: "approve", args: { text: "second" }, toolCallHash: card?.toolCallHash ?? "" },
      bob,
    );
    await office.question(chats.ann, "second");
    await office.shows(chats.ann, (message) => message.id === id && message.text.includes("Changed by a person"));
    expect(office.standIn.seen(chats.ann).filter(({ buttons }) => buttons.length > 0)).toHaveLength(1);
  });

  it("refuses words of a workspace that would turn a no into a yes (I8)", async () => {
    const office = await enter();
    const { gate } = office;
    const options = {
      gate,
      channels: [],
      book: memoryBook(),
      directory: fixedDirectory([]),
      workspaces: async () => [],
    };
    expect(() => new Desk({ ...options, words: { approve: ["取消"] } })).toThrow("the opposite");
  });
});
