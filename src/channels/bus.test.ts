import { afterEach, describe, expect, it } from "vitest";
import { type Office, openOffice, until } from "../../test/channels/office.js";
import { memoryStandIn } from "../../test/channels/stand-ins/memory.js";
import { type BusOptions, MessageBus } from "./bus.js";
import { fixedDirectory } from "./fixed-directory.js";

const offices: Office[] = [];
afterEach(async () => {
  for (const office of offices.splice(0)) await office.close();
});

async function enter(options: Partial<BusOptions> = {}) {
  const office = await openOffice(await memoryStandIn());
  offices.push(office);
  const { people, chats, tenant } = office.standIn;
  const directory = fixedDirectory(
    (["ann", "bob"] as const).map((userId) => ({
      userId,
      workspaceId: "home",
      accounts: [
        {
          account: { channel: "telegram", tenant, id: people[userId] },
          chat: { kind: "private", id: chats[userId] },
        },
      ],
    })),
  );
  const bus = new MessageBus({ gate: office.gate, desk: office.desk, directory, locale: "en", ...options });
  return { office, bus, ...office.standIn };
}

const call = (text: string, tool = "mail.send") => ({ tool, args: { text } });
const ANN = { kind: "person", userId: "ann", workspaceId: "home" } as const;

describe("MessageBus", () => {
  it("hands the agent what is no answer, under the key of its chat (seed E8, E13)", async () => {
    const { bus, office, people, chats } = await enter();
    await office.standIn.say(people.ann, chats.ann, "hello");
    const message = await bus.consumeInbound();
    expect(message).toMatchObject({ content: "hello", sessionKey: `telegram:${chats.ann}`, senderId: people.ann });
  });

  it("runs a call as whoever wrote the message, once their chat said yes; the yes never reaches the agent (seed E7, E9)", async () => {
    const { bus, office, people, chats } = await enter();
    await office.standIn.say(people.ann, chats.ann, "send it");
    const message = await bus.consumeInbound();
    const outcome = bus.within(message, () => bus.run(call("as asked")));
    await office.question(chats.ann, "as asked");
    await office.standIn.say(people.ann, chats.ann, "确认");
    expect(await outcome).toMatchObject({ type: "succeeded" });
    expect(office.sent).toEqual(["as asked"]);
    await office.standIn.say(people.ann, chats.ann, "next");
    expect((await bus.consumeInbound()).content).toBe("next");
  });

  it("invariant I11: puts a question in a chat for whoever speaks there, not for an agent that knows its name", async () => {
    const { bus, office, people, chats } = await enter();
    const sessionId = `telegram:${chats.team}`;
    await office.standIn.say(people.bob, chats.team, "hello");
    await bus.within(await bus.consumeInbound(), async () => undefined);
    const toldIn = async (caller: object) => {
      const approvalId = await office.ask(`a plan of ${JSON.stringify(caller)}`, { caller: { sessionId, ...caller } });
      await until(async () => expect(await office.book.ofApproval(approvalId)).not.toEqual([]));
      return (await office.book.ofApproval(approvalId)).map(({ chat }) => chat.id);
    };
    expect(await toldIn({ userId: "ann" })).not.toContain(chats.team);
    expect(await toldIn({ userId: "bob", workspaceId: "work" })).not.toContain(chats.team);
    expect(await toldIn({ userId: "bob" })).toContain(chats.team);
  });

  it("lets two chats wait at once, each for its own answer (seed E16, flaw F-E6)", async () => {
    const { bus, office, people, chats } = await enter();
    await office.standIn.say(people.ann, chats.ann, "one");
    const first = await bus.consumeInbound();
    await office.standIn.say(people.bob, chats.bob, "two");
    const second = await bus.consumeInbound();
    const outcomes = [
      bus.within(first, () => bus.run(call("of ann"))),
      bus.within(second, () => bus.run(call("of bob"))),
    ];
    const card = await office.question(chats.bob, "of bob");
    await office.question(chats.ann, "of ann");
    await office.standIn.click(people.bob, card.id, "Confirm");
    expect(await outcomes[1]).toMatchObject({ type: "succeeded" });
    expect(office.sent).toEqual(["of bob"]);
    const other = await office.question(chats.ann, "of ann");
    await office.standIn.click(people.ann, other.id, "Cancel");
    expect(await outcomes[0]).toMatchObject({ type: "denied" });
  });

  it("ends at expiry with the words of a timeout, as expired and not as a no (seed E15, flaw F-8)", async () => {
    const { bus, office, people, chats } = await enter();
    await office.standIn.say(people.ann, chats.ann, "send it");
    const message = await bus.consumeInbound();
    const outcome = await bus.within(message, () => bus.run(call("late", "mail.brief")));
    expect(outcome).toMatchObject({ type: "expired", message: expect.stringContaining("cancelled (timeout)") });
    expect(office.sent).toEqual([]);
  });

  it("refuses at once where no message is being handled (seed E24, flaw F-E8)", async () => {
    const { bus, office } = await enter();
    expect(await bus.run(call("nobody"))).toMatchObject({
      type: "denied",
      message: expect.stringContaining("no chat"),
    });
    expect(await bus.registerConfirmation(call("nobody"))).toMatchObject({ type: "denied" });
    expect(await bus.withoutMessage("nightly", () => bus.run(call("nobody")))).toMatchObject({ type: "denied" });
    expect(office.sent).toEqual([]);
  });

  it("puts what a timed job wants to the person set up for it (flaw F-E8)", async () => {
    const unattended = { userId: "bob", workspaceId: "home", sessionId: "cron", agentId: "cron" };
    const { bus, office, people, chats } = await enter({ unattended });
    const outcome = bus.withoutMessage("nightly", () => bus.run(call("report")));
    const card = await office.question(chats.bob, "report");
    await office.standIn.click(people.bob, card.id, "Confirm");
    expect(await outcome).toMatchObject({ type: "succeeded" });
  });

  it("handles nothing for an account that stands for nobody (I11)", async () => {
    const { bus, office, people, chats } = await enter();
    await office.standIn.say(people.eve, chats.eve, "send it");
    const message = await bus.consumeInbound();
    await expect(bus.within(message, () => bus.run(call("eve")))).rejects.toMatchObject({ code: "not_permitted" });
  });

  it("stops waiting for a message when it is told to", async () => {
    const { bus } = await enter();
    const stop = new AbortController();
    const waiting = bus.consumeInbound(stop.signal);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});

describe("ConfirmationStore", () => {
  it("resolves to true, false or null, and decides only on a whole yes or no (seed E10, E12)", async () => {
    const { bus, office } = await enter();
    const { confirmations } = bus;
    const caller = { userId: "ann", workspaceId: "home", sessionId: "", agentId: "agent" };
    expect(await confirmations.resolve("s:1", "yes", ANN)).toBeNull();
    await confirmations.register("s:1", call("one"), caller);
    expect(await confirmations.resolve("s:2", "yes", ANN)).toBeNull();
    expect(await confirmations.resolve("s:1", "不确认吧", ANN)).toBeNull();
    expect(await confirmations.resolve("s:1", "确认", ANN)).toBe(true);
    await until(() => expect(office.sent).toEqual(["one"]));
    await confirmations.register("s:1", call("two"), caller);
    expect(await confirmations.resolve("s:1", "取消", ANN)).toBe(false);
    expect(office.sent).toEqual(["one"]);
  });

  it("answers none of two, and withdraws all that a session asked for (seed E10)", async () => {
    const { bus, office } = await enter();
    const caller = { userId: "ann", workspaceId: "home", sessionId: "", agentId: "agent" };
    await bus.confirmations.register("s:1", call("one"), caller);
    await bus.confirmations.register("s:1", call("two"), caller);
    expect(await bus.confirmations.resolve("s:1", "yes", ANN)).toBeNull();
    expect(await bus.confirmations.cancelAll("s:1")).toBe(2);
    expect(await office.gate.pending(ANN)).toEqual([]);
    expect(office.sent).toEqual([]);
  });

  it("answers none of two, however many questions of others lie between them (seed E10)", async () => {
    const { bus, office } = await enter();
    const { confirmations } = bus;
    const caller = { userId: "ann", workspaceId: "home", sessionId: "", agentId: "agent" };
    await confirmations.register("s:1", call("first"), caller);
    for (let i = 0; i < 99; i++) await confirmations.register("s:other", call(`${i}`), { ...caller, userId: "bob" });
    await confirmations.register("s:1", call("last"), caller);
    const owner = { ...ANN, roles: ["owner"] };
    expect(await confirmations.resolve("s:1", "yes", owner)).toBeNull();
    await confirmations.register("s:2", call("alone"), caller);
    expect(await confirmations.resolve("s:2", "yes", owner)).toBe(true);
    await until(() => expect(office.sent).toEqual(["alone"]));
  });

  it("withdraws what is still open of a session whose other calls were answered (seed E10)", async () => {
    const { bus, office } = await enter();
    const { confirmations } = bus;
    const caller = { userId: "ann", workspaceId: "home", sessionId: "", agentId: "agent" };
    await confirmations.register("s:1", call("one"), caller);
    expect(await confirmations.resolve("s:1", "no", ANN)).toBe(false);
    await confirmations.register("s:1", call("two"), caller);
    expect(await confirmations.cancelAll("s:1")).toBe(1);
    expect(await office.gate.pending(ANN)).toEqual([]);
  });
});
