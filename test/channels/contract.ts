import { afterEach, describe, expect, it } from "vitest";
import { describeFaults } from "./contract-faults.js";
import { describeWords } from "./contract-words.js";
import { barrier, type Office, type OfficeOptions, openOffice, until } from "./office.js";
import type { SeenMessage, StandIn } from "./stand-in.js";

export interface ChannelTraits {
  /** False where a message, once sent, cannot be drawn anew: its end is told in a further message. */
  readonly redraws?: boolean;
  /** False where buttons make people say something instead of sending an event. */
  readonly buttons?: boolean;
}

/** What every channel has to do, told by what people on the platform see and by what ran. */
export function describeChannel(name: string, open: () => Promise<StandIn>, traits: ChannelTraits = {}): void {
  const { redraws = true, buttons = true } = traits;
  const offices: Office[] = [];
  afterEach(async () => {
    const used = offices.splice(0);
    for (const office of used) await office.close();
    for (const { standIn } of used) expect(standIn.faults).toEqual([]);
  });
  const enter = async (options?: OfficeOptions): Promise<Office> => {
    const office = await openOffice(await open(), options);
    offices.push(office);
    return office;
  };
  const codeOf = ({ text }: SeenMessage) => /(?:confirm|cancel) (\d\d)/.exec(text)?.[1] ?? "no code";

  describe(`${name}: cards`, () => {
    it("shows approvers the exact call with its buttons, and strangers nothing", async () => {
      const office = await enter();
      await office.ask("Hello Bob");
      const { ann, bob, eve } = office.standIn.chats;
      for (const chat of [ann, bob]) {
        const card = await office.question(chat);
        expect(card.text).toContain("Hello Bob");
        expect(card.text).toContain("mail.send");
        expect(card.buttons).toHaveLength(2);
        expect(card.links.join()).toContain("https://approve.example.com/approvals/");
      }
      expect(office.standIn.seen(eve)).toEqual([]);
    });

    it("runs the call once when somebody presses Approve, and tells every chat who did (I1, I4)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      await office.question(chats.ann);
      const card = await office.question(chats.bob);
      await office.standIn.click(people.bob, card.id, "Approve");
      for (const chat of [chats.ann, chats.bob]) {
        await office.shows(chat, ({ text }) => text.includes("Approved by BOB"));
      }
      await until(async () => expect(await office.state(approvalId)).toBe("succeeded"));
      expect(office.sent).toEqual(["hello"]);
      if (redraws) {
        for (const chat of [chats.ann, chats.bob]) {
          await until(() => expect(office.standIn.seen(chat).flatMap((each) => each.buttons)).toEqual([]));
        }
      }
    });

    it("runs nothing when somebody presses Deny (I2)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      const card = await office.question(chats.bob);
      await office.standIn.click(people.bob, card.id, "Deny");
      await office.shows(chats.ann, ({ text }) => text.includes("Denied by BOB"));
      expect(await office.state(approvalId)).toBe("denied");
      expect(office.sent).toEqual([]);
    });

    it("takes a press that the platform delivers five times for one (attack E4)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      await office.ask();
      const card = await office.question(chats.ann);
      await office.standIn.click(people.ann, card.id, "Confirm", { times: 5 });
      await office.shows(chats.ann, ({ text }) => text.includes("Approved by ANN"));
      await until(() => expect(office.sent).toEqual(["hello"]));
    });

    it("lets the first of two people who press at the same moment decide (I4)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      const [anns, bobs] = [await office.question(chats.ann), await office.question(chats.bob)];
      await Promise.all([
        office.standIn.click(people.ann, anns.id, "Confirm"),
        office.standIn.click(people.bob, bobs.id, "Deny"),
      ]);
      const state = await office.state(approvalId);
      const told = state === "denied" ? "Denied by BOB" : "Approved by ANN";
      for (const chat of [chats.ann, chats.bob]) await office.shows(chat, ({ text }) => text.includes(told));
      expect(office.sent.length).toBe(state === "denied" ? 0 : 1);
    });

    it("shows on the card what was decided elsewhere", async () => {
      const office = await enter();
      const { chats } = office.standIn;
      const approvalId = await office.ask();
      await office.question(chats.ann);
      const person = { kind: "person", userId: "bob", workspaceId: "home" } as const;
      await office.gate.decide({ approvalId, decision: "deny", reason: "not today" }, person);
      const ended = await office.shows(chats.ann, ({ text }) => text.includes("Denied by BOB"));
      expect(ended.text).toContain("not today");
    });

    it("shows when the time is over, and takes no answer any more (I8)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask("late", { tool: "mail.brief" });
      const card = await office.shows(chats.ann, ({ text }) => text.includes("late"));
      await office.shows(chats.ann, ({ text }) => text.includes("Expired"));
      await office.standIn.say(people.ann, chats.ann, `confirm ${codeOf(card)}`);
      await until(async () => expect(await office.state(approvalId)).toBe("expired"));
      expect(office.sent).toEqual([]);
    });

    it("draws hostile words as words: no link, mention or format comes of them (seed flaw F-E10)", async () => {
      const office = await enter();
      const hostile = [
        "<!channel> <@U1> @all @everyone",
        "[click](https://evil.example) **ALREADY APPROVED** `x` ```",
        '<at user_id="all"></at> <a href="https://evil.example">a</a> <b>b</b>',
        "\u202Egnp.exe \u200B https://evil.example/x tg://resolve?domain=x &lt;b&gt;",
        "_*~|>#+-=|{}.!\\ dtmd://dingtalkclient/sendMessage?content=yes",
      ].join("\n");
      await office.ask(hostile);
      const card = await office.question(office.standIn.chats.ann);
      expect(card.markup).toEqual([]);
      expect(card.text).toContain("ALREADY APPROVED");
      expect(card.text).not.toMatch(/[\u202E\u200B]/u);
    });

    it("offers no yes for what is too large to show whole, and takes none (I3)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask(`${"long ".repeat(20_000)}end`);
      const card = await office.shows(chats.ann, ({ text }) => text.includes("too large"));
      expect(card.buttons).toEqual(["Cancel"]);
      await office.standIn.say(people.ann, chats.ann, `confirm ${codeOf(card)}`);
      await office.shows(chats.ann, ({ text }) => text.includes("needs more proof"));
      expect(await office.state(approvalId)).toBe("pending");
    });

    it("offers no yes to masked values in a group, and does in private", async () => {
      const office = await enter({ teamHears: true });
      const { chats } = office.standIn;
      await office.ask("hunter2", { tool: "mail.secret" });
      const card = await office.shows(chats.team, ({ text }) => text.includes("masked values"));
      expect(card.buttons).toEqual(["Deny"]);
      expect(card.text).not.toContain("hunter2");
      expect((await office.question(chats.ann)).buttons).toEqual(["Confirm", "Cancel"]);
    });

    it("leaves to the web what a channel may not decide", async () => {
      const office = await enter({ upTo: "R2" });
      const { chats, people } = office.standIn;
      const approvalId = await office.ask();
      const card = await office.shows(chats.ann, ({ text }) => text.includes("needs more proof"));
      expect(card.buttons).toEqual(["Cancel"]);
      await office.standIn.say(people.ann, chats.ann, "confirm");
      await barrier(office);
      expect(await office.state(approvalId)).toBe("pending");
      await office.standIn.say(people.ann, chats.ann, "cancel");
      await until(async () => expect(await office.state(approvalId)).toBe("denied"));
    });
  });

  describe(`${name}: who`, () => {
    it("tells a stranger politely that this is for others (seed flaw F-E3)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const { approvalId, card } = await askInGroup(office);
      if (buttons) expect(await office.standIn.click(people.eve, card.id, "Approve")).toContain("for other people");
      await office.standIn.say(people.eve, chats.team, `confirm ${codeOf(card)}`);
      await office.shows(chats.team, ({ text }) => text.includes("for other people"));
      expect(await office.state(approvalId)).toBe("pending");
    });

    it("counts two different people where two are asked for (I10)", async () => {
      const office = await enter({ quorum: 2 });
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      const [anns, bobs] = [await office.question(chats.ann), await office.question(chats.bob)];
      await office.standIn.click(people.ann, anns.id, "Confirm");
      if (buttons) await office.standIn.click(people.ann, anns.id, "Confirm");
      expect(await office.state(approvalId)).toBe("pending");
      await office.standIn.click(people.bob, bobs.id, "Approve");
      await until(async () => expect(await office.state(approvalId)).toBe("succeeded"));
    });

    it.runIf(buttons)(
      "refuses a press on another message or chat, or with a made-up value, with one entry each (attack E7)",
      async () => {
        const office = await enter();
        const { people, chats } = office.standIn;
        const first = await office.ask("one");
        const second = await office.ask("two");
        const one = await office.question(chats.ann, "one");
        const two = await office.question(chats.ann, "two");
        await office.standIn.click(people.ann, one.id, "Confirm", { messageId: two.id });
        await office.standIn.click(people.ann, one.id, "Confirm", { value: "x".repeat(22).concat(".a") });
        await office.standIn.click(people.ann, one.id, "Confirm", { value: "approve" });
        await until(async () => expect(await office.entries("channel.refused")).toBe(3));
        expect([await office.state(first), await office.state(second)]).toEqual(["pending", "pending"]);
      },
    );
  });

  describe(`${name}: faults`, () => {
    it.each(["busy", "down"] as const)("delivers a card although the platform is %s at first", async (how) => {
      const office = await enter();
      office.standIn.fail(how, 2);
      await office.ask();
      await office.question(office.standIn.chats.ann);
      await office.question(office.standIn.chats.bob);
    });

    it("decides what is pressed after a restart with the question open (I5)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      const card = await office.question(chats.ann);
      await office.restart();
      await office.standIn.click(people.ann, card.id, "Confirm");
      await until(async () => expect(await office.state(approvalId)).toBe("succeeded"));
      expect(office.standIn.seen(chats.bob).filter(({ text }) => text.includes("hello")).length).toBeLessThanOrEqual(
        redraws ? 1 : 2,
      );
    });
  });

  describeWords(name, { enter, codeOf });
  describeFaults(name, { enter, codeOf, redraws });

  /** Puts a question in the group, as when an agent was asked there. */
  async function askInGroup(office: Office): Promise<{ approvalId: string; card: SeenMessage }> {
    const { chats } = office.standIn;
    const channel = office.standIn.channel().name;
    await office.desk.remember(
      { workspaceId: "home", userId: "ann", sessionId: "team" },
      { channel, chat: { kind: "group", id: chats.team } },
    );
    const approvalId = await office.ask("group question", { caller: { sessionId: "team" } });
    return { approvalId, card: await office.question(chats.team) };
  }
}
