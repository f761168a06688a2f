import { describe, expect, it } from "vitest";
import { type Office, type OfficeOptions, until } from "./office.js";
import type { SeenMessage } from "./stand-in.js";

interface FaultParts {
  readonly enter: (options?: OfficeOptions) => Promise<Office>;
  readonly codeOf: (card: SeenMessage) => string;
  readonly redraws: boolean;
}

const BOB = { kind: "person", userId: "bob", workspaceId: "home" } as const;

/** What every channel has to stand: answers that come late, twice and out of order, and a platform that goes away. */
export function describeFaults(name: string, { enter, codeOf, redraws }: FaultParts): void {
  describe(`${name}: order`, () => {
    it("takes a reply to a card for that card alone, also on an instance that did not send it (I4, I5)", async () => {
      const office = await enter({ stepUp: "card" });
      const { people, chats } = office.standIn;
      const [first, second] = [await office.ask("one"), await office.ask("two")];
      await office.question(chats.ann, "one");
      const two = await office.question(chats.ann, "two");
      await office.restart();
      await office.standIn.say(people.ann, chats.ann, "confirm", { replyTo: two.id });
      await until(async () => expect(await office.state(second)).toBe("succeeded"));
      expect(await office.state(first)).toBe("pending");
      expect(office.sent).toEqual(["two"]);
    });

    it("takes a press where a word alone is not enough (I4)", async () => {
      const office = await enter({ stepUp: "card" });
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      const card = await office.question(chats.ann);
      await office.standIn.say(people.ann, chats.ann, "confirm");
      await office.shows(chats.ann, ({ text }) => text.includes("A word alone does not approve this."));
      expect(await office.state(approvalId)).toBe("pending");
      await office.standIn.click(people.ann, card.id, "Confirm");
      await until(async () => expect(await office.state(approvalId)).toBe("succeeded"));
    });

    it("keeps a no that was said before a press arrived, however often it arrives (attack E4, I4)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      const [anns, bobs] = [await office.question(chats.ann), await office.question(chats.bob)];
      const pressed = { times: 2 };
      await office.standIn.say(people.ann, chats.ann, `cancel ${codeOf(anns)}`);
      await until(async () => expect(await office.state(approvalId)).toBe("denied"));
      // The card may be redrawn by now, and a press on what is gone cannot even be made.
      await office.standIn.click(people.bob, bobs.id, "Approve", pressed).catch(() => undefined);
      await office.shows(chats.bob, ({ text }) => text.includes("Denied by ANN"));
      expect(await office.state(approvalId)).toBe("denied");
      expect(office.sent).toEqual([]);
    });

    it("keeps a yes that was pressed before an older word arrived late (attack E10, I4)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      const card = await office.question(chats.ann);
      await office.standIn.click(people.ann, card.id, "Confirm", { times: 2 });
      await until(async () => expect(await office.state(approvalId)).toBe("succeeded"));
      await office.standIn.say(people.ann, chats.ann, `cancel ${codeOf(card)}`, { shift: -1_000, times: 2 });
      expect(await office.state(approvalId)).toBe("succeeded");
      expect(office.sent).toEqual(["hello"]);
    });
  });

  describe(`${name}: outages`, () => {
    it("keeps a question open that cannot be sent, for the inbox too, and sends it once the platform is back (I9)", async () => {
      const office = await enter();
      const { chats, people } = office.standIn;
      await office.standIn.down();
      const approvalId = await office.ask("through the storm");
      expect((await office.gate.pending(BOB)).map((card) => card.approvalId)).toEqual([approvalId]);
      await office.standIn.up();
      const card = await office.question(chats.ann, "through the storm");
      expect(await office.state(approvalId)).toBe("pending");
      await heard(office, () => office.standIn.click(people.ann, card.id, "Confirm"));
      await until(async () => expect(await office.state(approvalId)).toBe("succeeded"));
      expect(office.sent).toEqual(["through the storm"]);
    });

    it("decides once when the platform goes away while an answer arrives, whether that one was heard or not (I4, I5)", async () => {
      const office = await enter();
      const { chats, people } = office.standIn;
      const approvalId = await office.ask();
      const card = await office.question(chats.ann);
      // Nobody acknowledges it any more, so that nobody waits for it.
      office.standIn.click(people.ann, card.id, "Confirm").catch(() => undefined);
      await office.standIn.down();
      await office.standIn.up();
      await heard(office, () => office.standIn.click(people.ann, card.id, "Confirm"));
      await until(async () => expect(await office.state(approvalId)).toBe("succeeded"));
      const ended = await office.shows(chats.ann, ({ text }) => text.includes("by ANN"));
      if (redraws) expect(ended).toMatchObject({ id: card.id, buttons: [] });
      expect([office.sent, await office.entries("approval.resolved")]).toEqual([["hello"], 1]);
    });

    it("is decided in the inbox while the platform is away, which shows it after its return (I4)", async () => {
      const office = await enter();
      const { chats } = office.standIn;
      const approvalId = await office.ask();
      const card = await office.question(chats.ann);
      await office.standIn.down();
      await office.gate.decide({ approvalId, decision: "deny" }, BOB);
      expect(await office.state(approvalId)).toBe("denied");
      await office.standIn.up();
      const ended = await office.shows(chats.ann, ({ text }) => text.includes("Denied by BOB"));
      if (redraws) expect(ended).toMatchObject({ id: card.id, buttons: [] });
      expect(office.sent).toEqual([]);
    });
  });
}

/** Presses until somebody listens again: a line that broke takes a moment to come back. */
async function heard(office: Office, press: () => Promise<unknown>): Promise<void> {
  await until(async () => {
    await press().catch(() => undefined);
    expect(await office.entries("approval.resolved")).toBe(1);
  });
}
