import { afterEach, describe, expect, it } from "vitest";
import { replyWordsIn } from "../../src/channels/words.js";
import { readReply } from "../../src/core/read-reply.js";
import { type Office, type OfficeOptions, openOffice, until } from "./office.js";
import type { SeenMessage } from "./stand-in.js";
import { memoryStandIn } from "./stand-ins/memory.js";

const offices: Office[] = [];
afterEach(async () => {
  for (const office of offices.splice(0)) await office.close();
});

const OWNER = { kind: "person", userId: "ann", workspaceId: "home", roles: ["owner"] } as const;

const numberOf = ({ text }: SeenMessage) => /(?:confirm|确认) (\d\d)/.exec(text)?.[1] ?? "no number";

/** Ann's chat with one question open, in a workspace that has said how answers are read. */
async function asked(rules: Parameters<Office["gate"]["changeReplyRules"]>[0], options: OfficeOptions = {}) {
  const office = await openOffice(await memoryStandIn(), options);
  offices.push(office);
  await office.gate.changeReplyRules(rules, OWNER);
  const approvalId = await office.ask();
  const { people, chats } = office.standIn;
  const card = await office.question(chats.ann);
  const say = (text: string) => office.standIn.say(people.ann, chats.ann, text);
  const becomes = (state: string) => until(async () => expect(await office.state(approvalId)).toBe(state));
  return { office, approvalId, card, say, becomes, chats, people };
}

describe("words of a workspace", () => {
  it("count as soon as they are added, and are named on the card", async () => {
    const { card, say, becomes } = await asked({ approve: ["放行"], deny: ["驳回"] });
    expect(card.text).toContain("Also yes: 放行.");
    expect(card.text).toContain("Also no: 驳回.");
    await say("放行");
    await becomes("succeeded");
  });

  it("are named in the language of the chat, and refuse (I2)", async () => {
    const { card, say, becomes, office } = await asked({ approve: ["放行"], deny: ["驳回"] }, { locale: "zh" });
    expect(card.text).toContain("也可以用 放行 表示同意。");
    expect(card.text).toContain("也可以用 驳回 表示拒绝。");
    await say("驳回");
    await becomes("denied");
    expect(office.sent).toEqual([]);
  });

  it("count for nothing once they are taken back, also for a question that is open already (I8)", async () => {
    const { office, approvalId, say } = await asked({ approve: ["放行"] });
    await office.gate.changeReplyRules({ approve: [] }, OWNER);
    await say("放行");
    await until(() => expect(office.passed.map(({ text }) => text)).toEqual(["放行"]));
    expect(await office.state(approvalId)).toBe("pending");
  });

  it("add to the words of the whole server, whose yes a workspace may make a no (I8)", async () => {
    const { card, say, becomes } = await asked({ deny: ["放行"] }, { words: { approve: ["放行", "准奏"] } });
    expect(card.text).toContain("Also yes: 准奏.");
    await say("放行");
    await becomes("denied");
  });

  it("of another workspace decide nothing in a chat that both share, not even with a number (I11)", async () => {
    const { office, approvalId: home, card, say, becomes, chats } = await asked({});
    await office.gate.changeReplyRules({ approve: ["放行"] }, { ...OWNER, workspaceId: "work" });
    const work = await office.ask("at work", { caller: { workspaceId: "work" } });
    const other = await office.question(chats.ann, "at work");
    await say(`放行 ${numberOf(card)}`);
    await until(() => expect(office.passed).toHaveLength(1));
    expect([await office.state(home), await office.state(work)]).toEqual(["pending", "pending"]);
    await say(`放行 ${numberOf(other)}`);
    await until(async () => expect(await office.state(work)).toBe("succeeded"));
    await say(`confirm ${numberOf(card)}`);
    await becomes("succeeded");
    expect(office.sent).toEqual(["at work", "hello"]);
  });

  it.each(["en", "zh"] as const)("leave the two words that every prompt names as they are (%s)", (locale) => {
    const { yes, no } = replyWordsIn(locale);
    expect([readReply(yes), readReply(no)]).toEqual(["approve", "deny"]);
  });
});

describe("a strict workspace", () => {
  it.each([
    ["en", "Any other answer cancels it."],
    ["zh", "其他任何答复都会取消此操作。"],
  ] as const)("cancels by anything that is no yes, and says so before (%s, seed E17)", async (locale, told) => {
    const { office, card, say, becomes } = await asked({ unclear: "cancel" }, { locale });
    expect(card.text).toContain(told);
    await say("why?");
    await becomes("denied");
    expect(office.passed).toEqual([]);
  });

  it("may be patient on a strict server, and the other way round", async () => {
    const patient = await asked({ unclear: "ask" }, { unclear: "cancel" });
    expect(patient.card.text).not.toContain("Any other answer");
    await patient.say("why?");
    await until(() => expect(patient.office.passed).toHaveLength(1));
    expect(await patient.office.state(patient.approvalId)).toBe("pending");
  });
});

describe("where policy asks for more than a word", () => {
  it.each([
    ["en", "confirm", "Use the buttons, answer this message", "A word alone does not approve this"],
    ["zh", "确认", "请点按钮、回复此消息", "仅凭一个词不能同意此操作"],
  ] as const)("a bare word decides nothing and is told what does (%s, I8)", async (locale, word, prompt, told) => {
    const { office, approvalId, card, say, becomes, chats } = await asked({}, { stepUp: "card", locale });
    expect(card.text).toContain(prompt);
    await say(word);
    const answer = await office.shows(chats.ann, ({ text }) => text.includes(told));
    expect(answer.text).toContain(`${word} ${numberOf(card)}`);
    expect(await office.state(approvalId)).toBe("pending");
    await say(`${word} ${numberOf(card)}`);
    await becomes("succeeded");
  });

  it("a word that the workspace has added is no more than a word (I8)", async () => {
    const { office, approvalId, say, chats } = await asked({ approve: ["放行"] }, { stepUp: "card" });
    await say("放行");
    await office.shows(chats.ann, ({ text }) => text.includes("A word alone"));
    expect(await office.state(approvalId)).toBe("pending");
  });

  it("takes a bare no", async () => {
    const { say, becomes } = await asked({}, { stepUp: "card" });
    await say("cancel");
    await becomes("denied");
  });

  it("writes down which kind of answer it was", async () => {
    const assurances = async (stepUp: "channel" | "card", answer: (text: string) => string) => {
      const { office, approvalId, card, say, becomes } = await asked({}, { stepUp });
      await say(answer(numberOf(card)));
      await becomes("succeeded");
      return (await office.gate.hostCard(approvalId))?.approval.votes.map(({ assurance }) => assurance);
    };
    expect(await assurances("channel", () => "confirm")).toEqual(["channel"]);
    expect(await assurances("card", (number) => `confirm ${number}`)).toEqual(["card"]);
  });

  it("shows on the card what only a session can prove, and takes no number for it (I8)", async () => {
    const office = await openOffice(await memoryStandIn(), { stepUp: "session" });
    offices.push(office);
    const { people, chats } = office.standIn;
    const approvalId = await office.ask();
    const card = await office.shows(chats.ann, ({ text }) => text.includes("needs more proof"));
    const number = /cancel (\d\d)/.exec(card.text)?.[1];
    await office.standIn.say(people.ann, chats.ann, `confirm ${number}`);
    await until(() => expect(office.standIn.seen(chats.ann).at(-1)?.text).toContain("needs more proof"));
    expect(await office.state(approvalId)).toBe("pending");
  });
});
