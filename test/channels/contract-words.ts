import { describe, expect, it } from "vitest";
import { barrier, type Office, type OfficeOptions, until } from "./office.js";
import type { SeenMessage } from "./stand-in.js";

interface WordParts {
  readonly enter: (options?: OfficeOptions) => Promise<Office>;
  readonly codeOf: (card: SeenMessage) => string;
}

/** What every channel has to make of words: an answer where they are one beyond doubt, and otherwise nothing (I8). */
export function describeWords(name: string, { enter, codeOf }: WordParts): void {
  describe(`${name}: words`, () => {
    it.each(["confirm", "确认", "ＯＫ", "同意。"])(
      "takes %s in a private chat with one open question for a yes",
      async (word) => {
        const office = await enter();
        const { people, chats } = office.standIn;
        const approvalId = await office.ask();
        await office.question(chats.ann);
        await office.standIn.say(people.ann, chats.ann, word);
        await until(async () => expect(await office.state(approvalId)).toBe("succeeded"));
        expect(office.passed).toEqual([]);
      },
    );

    it("decides nothing by a bare word while two are open, and one by its number (attack E10, seed flaw F-E5)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const [first, second] = [await office.ask("one"), await office.ask("two")];
      await office.question(chats.ann, "one");
      const two = await office.question(chats.ann, "two");
      await office.standIn.say(people.ann, chats.ann, "确认");
      await office.shows(chats.ann, ({ text }) => text.includes("Which one?"));
      expect([await office.state(first), await office.state(second)]).toEqual(["pending", "pending"]);
      await office.standIn.say(people.ann, chats.ann, `确认 ${codeOf(two)}`);
      await until(async () => expect(await office.state(second)).toBe("succeeded"));
      expect(await office.state(first)).toBe("pending");
      expect(office.sent).toEqual(["two"]);
    });

    it("locks numbers after five wrong ones (attack E10)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      const card = await office.question(chats.ann);
      const wrong = codeOf(card) === "11" ? "12" : "11";
      for (let time = 0; time < 6; time++) await office.standIn.say(people.ann, chats.ann, `confirm ${wrong}`);
      await office.shows(chats.ann, ({ text }) => text.includes("Too many wrong numbers"));
      await office.standIn.say(people.ann, chats.ann, `confirm ${codeOf(card)}`);
      await barrier(office);
      expect(await office.state(approvalId)).toBe("pending");
    });

    it("ignores words that were said before the card stood there, forwarded, or said by a machine (attacks E10, E11)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      await office.question(chats.ann);
      await office.standIn.say(people.ann, chats.ann, "confirm", { shift: -60_000 });
      await office.standIn.say(people.ann, chats.ann, "confirm", { forwarded: true });
      await office.standIn.say(people.ann, chats.ann, "confirm", { machine: true });
      await barrier(office);
      expect(await office.state(approvalId)).toBe("pending");
      expect(office.sent).toEqual([]);
    });

    it("does not let a redelivered yes answer the next question (seed flaw F-E10)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const first = await office.ask("one");
      await office.question(chats.ann, "one");
      await office.standIn.say(people.ann, chats.ann, "confirm", { times: 3 });
      await until(async () => expect(await office.state(first)).toBe("succeeded"));
      const second = await office.ask("two");
      await office.question(chats.ann, "two");
      await barrier(office);
      expect(await office.state(second)).toBe("pending");
      expect(office.sent).toEqual(["one"]);
    });

    it("keeps the question open after an unclear word, asks once more, and passes the word on (I8)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      await office.question(chats.ann);
      await office.standIn.say(people.ann, chats.ann, "不确认一下吗");
      await office.standIn.say(people.ann, chats.ann, "what does it do?");
      await until(() => expect(office.passed).toHaveLength(2));
      expect(await office.state(approvalId)).toBe("pending");
      expect(office.passed.map(({ text }) => text)).toEqual(["不确认一下吗", "what does it do?"]);
      await until(() =>
        expect(replies(office, chats.ann).filter((text) => text.includes("did not take"))).toHaveLength(1),
      );
    });

    it("takes an unclear word for a no where the workspace wants that (seed E17)", async () => {
      const office = await enter({ unclear: "cancel" });
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      await office.question(chats.ann);
      await office.standIn.say(people.ann, chats.ann, "another question");
      await until(async () => expect(await office.state(approvalId)).toBe("denied"));
      expect(office.passed).toEqual([]);
    });

    it("passes everything on while nothing is open (seed E8)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      await office.standIn.say(people.ann, chats.ann, "confirm");
      await until(() => expect(office.passed.map(({ text }) => text)).toEqual(["confirm"]));
    });

    it("answers in a chat for the question of that chat alone (seed E13)", async () => {
      const office = await enter();
      const { people, chats } = office.standIn;
      const approvalId = await office.ask();
      await office.question(chats.ann);
      await office.standIn.say(people.ann, chats.team, "confirm");
      await barrier(office, chats.team);
      expect(await office.state(approvalId)).toBe("pending");
    });
  });
}

function replies({ standIn }: Office, chatId: string): readonly string[] {
  return standIn.seen(chatId).map(({ text }) => text);
}
