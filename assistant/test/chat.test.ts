import type { Person } from "countersign";
import { describe, expect, it } from "vitest";
import { newTalk, yes } from "./chat-world.js";
import { PERSON } from "./world.js";

describe("the three steps of a confirmation (seed A6 to A11, A27)", () => {
  it("holds a vague create, with the words and fields the protocol fixes", async () => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    const description = 'I\'ll create a task: "call mom" with medium priority.';
    expect(held).toEqual({
      text: `${description}\n\nPlease confirm to proceed, or say "cancel" to abort.`,
      actions: [],
      domain: "tasks",
      conversationId: "c1",
      requestId: expect.stringMatching(/^req_/),
      requiresConfirmation: true,
      pendingAction: {
        token: expect.stringMatching(/^pa_[0-9a-f]{32}$/),
        description,
        toolName: "tasks.create",
        inputPreview: { title: "call mom", priority: "medium" },
        expiresAt: expect.stringMatching(/^2026-02-05T14:\d\d:00\.000Z$/),
        isDestructive: false,
      },
    });
    expect(talk.titles()).toEqual([]);
  });

  it("runs it after the yes, once, and says what was done", async () => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    const done = await talk.assistant.chat({ message: "yes", ...yes(held) }, PERSON);
    expect(done.text).toBe('✅ Created task: "call mom"');
    expect(done.conversationId).toBe("c1");
    expect(done.actions).toEqual([
      {
        tool: "tasks.create",
        input: { title: "call mom", priority: "medium" },
        result: { success: true, data: { task: expect.objectContaining({ title: "call mom" }) } },
      },
    ]);
    await expect(talk.say("yes", yes(held))).rejects.toMatchObject({ code: "invalid_confirmation" });
    expect(talk.titles()).toEqual(["call mom"]);
  });

  it("runs a sure create at once (seed A5), and one that is exactly at the threshold (seed A2)", async () => {
    const talk = newTalk();
    expect(await talk.say("create a task: water the plants")).toMatchObject({ actions: [{ tool: "tasks.create" }] });
    expect(await talk.say("remind me to feed the cat")).toMatchObject({ actions: [{ tool: "tasks.create" }] });
    expect(talk.titles()).toEqual(["water the plants", "feed the cat"]);
  });

  it("lists without asking (seed A4), and asks about every delete however sure (seed A3)", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the plants");
    expect(await talk.say("show my tasks")).toMatchObject({
      text: "• water the plants",
      actions: [{ tool: "tasks.list" }],
    });
    const held = await talk.say("delete all tasks");
    expect(held).toMatchObject({ requiresConfirmation: true, actions: [], pendingAction: { isDestructive: true } });
    expect(talk.titles()).toEqual(["water the plants"]);
  });
});

describe("what confirms nothing (seed A7, A14, A15; flaws F-A3, F-A4, F-A9)", () => {
  it("a token without confirmed, or a yes without a token", async () => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    const { token } = held.pendingAction ?? { token: "" };
    expect((await talk.say("yes", { confirmationToken: token })).actions).toEqual([]);
    expect((await talk.say("yes")).text).toContain("call mom");
    await expect(talk.say("yes", { confirmationToken: token, confirmed: "true" as never })).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(talk.titles()).toEqual([]);
  });

  it.each<[string, Partial<Person>, string]>([
    ["another person", { userId: "ben" }, "user_mismatch"],
    ["another family", { workspaceId: "other" }, "family_mismatch"],
  ])("the token of %s; the reason stays inside", async (_who, other, reason) => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    const attempt = talk.say("yes", yes(held), { ...PERSON, ...other });
    await expect(attempt).rejects.toMatchObject({
      code: "invalid_confirmation",
      message: "This confirmation is not valid.",
    });
    expect(talk.notices).toContainEqual({
      event: "chat.confirmation_refused",
      fields: expect.objectContaining({ code: reason }),
    });
    expect(talk.titles()).toEqual([]);
  });

  it("a token in another conversation", async () => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    const attempt = talk.say("yes", { ...yes(held), conversationId: "c2" });
    await expect(attempt).rejects.toMatchObject({ code: "invalid_confirmation", reason: "conversation_mismatch" });
  });

  it("a token that came too late", async () => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    await talk.advance(60 * 60_000);
    await expect(talk.say("yes", yes(held))).rejects.toMatchObject({ code: "invalid_confirmation" });
    expect(talk.titles()).toEqual([]);
  });

  it.each(["pa_0123", "", "pa_ffffffffffffffffffffffffffffffff"])("a made-up token %s", async (confirmationToken) => {
    const talk = newTalk();
    await expect(talk.say("yes", { confirmationToken, confirmed: true })).rejects.toMatchObject({
      code: "invalid_confirmation",
    });
  });

  it("a yes that says more: the message is handled instead of lost", async () => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    const changed = await talk.say("wait, change it to Friday", yes(held));
    expect(talk.titles()).toEqual([]);
    expect(changed.pendingAction?.inputPreview).toEqual({ title: "call mom", priority: "medium", dueAt: "2026-02-06" });
    await talk.say("yes", yes(changed));
    expect(talk.titles()).toEqual(["call mom"]);
  });
});

describe("a yes to what has changed since (flaw F-6)", () => {
  it("runs nothing, says so, and asks again with a token of its own", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the roses");
    const held = await talk.say("delete all tasks");
    await talk.say("create a task: water the lawn", { conversationId: "c2" });
    const again = await talk.say("yes", yes(held));
    expect(again.text).toContain("has changed since you were asked");
    expect(talk.titles()).toHaveLength(2);
    expect(again.pendingAction?.description).toContain("deletes 2 todos");
    expect((await talk.say("yes", yes(again))).text).toBe("✅ Deleted 2 todos");
  });
});

describe("cancelling", () => {
  it.each([
    ["the word", "cancel", {}],
    ["the Chinese word", "取消", {}],
    ["a refusal", "no, do not create that task", {}],
  ])("by %s", async (_how, message, more) => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    expect((await talk.say(message, more)).actions).toEqual([]);
    await expect(talk.say("yes", yes(held))).rejects.toMatchObject({ code: "invalid_confirmation" });
    expect(talk.titles()).toEqual([]);
  });

  it("by confirmed: false", async () => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    const { token } = held.pendingAction ?? { token: "" };
    const answer = await talk.say("", { confirmationToken: token, confirmed: false });
    expect(answer.text).toContain("Cancelled");
    await expect(talk.say("yes", yes(held))).rejects.toMatchObject({ code: "invalid_confirmation" });
  });

  it("leaves other conversations alone", async () => {
    const talk = newTalk();
    const held = await talk.say("I gotta call mom");
    await talk.say("cancel", { conversationId: "c2" });
    expect((await talk.say("yes", yes(held))).text).toContain("✅");
  });
});

describe("several intents in one message (flaw F-A7)", () => {
  it("keep each their own action or approval", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the plants");
    const both = await talk.say("create a task: buy stamps. I gotta call mom. delete all tasks");
    expect(both.actions.map(({ tool }) => tool)).toEqual(["tasks.create"]);
    const pending = both.payload?.["pendingActions"] as { token: string; toolName: string }[];
    expect(pending.map(({ toolName }) => toolName)).toEqual(["tasks.create", "todo.clear"]);
    await talk.say("yes", { confirmationToken: pending[0]?.token, confirmed: true });
    expect(talk.titles()).toEqual(["water the plants", "buy stamps", "call mom"]);
  });

  it("carry out nothing when one of them says no", async () => {
    const talk = newTalk();
    const answer = await talk.say("create a task: buy stamps. don't delete anything");
    expect(answer).toMatchObject({ actions: [], text: expect.stringContaining("nothing was done") });
    expect(talk.titles()).toEqual([]);
  });
});

describe("the context of a conversation", () => {
  it("lists candidates when the target is ambiguous, and takes the answer", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the roses");
    await talk.say("create a task: water the lawn");
    const which = await talk.say("mark water as done");
    expect(which.text).toBe("Which one do you mean?\n1. water the roses\n2. water the lawn");
    expect(which.actions).toEqual([]);
    expect((await talk.say("2")).text).toBe('✅ Completed task: "water the lawn"');
    expect(talk.titles()).toEqual(["water the roses"]);
  });

  it("knows what it is", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the roses");
    expect((await talk.say("mark it as done")).text).toContain("water the roses");
    expect((await talk.say("mark it as done", { conversationId: "elsewhere" })).actions).toEqual([]);
  });

  it("asks for a missing title and takes it", async () => {
    const talk = newTalk();
    expect((await talk.say("create a task")).payload).toEqual({ awaitingInput: "title" });
    expect((await talk.say("polish the silver")).text).toBe('✅ Created task: "polish the silver"');
  });

  it("tells what became elsewhere of what waited here", async () => {
    const talk = newTalk();
    await talk.say("I gotta call mom");
    const [card] = await talk.assistant.gate.pending(PERSON);
    const { approvalId, toolCallHash } = card ?? { approvalId: "", toolCallHash: "" };
    await talk.assistant.gate.decide({ approvalId, decision: "deny", toolCallHash, reason: "not today" }, PERSON);
    expect((await talk.say("hello")).text).toContain("not today");
  });
});

describe("who may be assigned (flaw F-A6)", () => {
  it("only somebody who is there, and the assignment takes effect", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the roses");
    expect((await talk.say("assign water the roses to Zed")).text).toContain("Ann, Ben");
    await talk.say("assign water the roses to Ben");
    expect(talk.assistant.apps.todos.list("home")[0]).toMatchObject({ assignedToUserId: "ben" });
  });
});

describe("other domains", () => {
  it.each([
    ["schedule dentist on Friday at 3pm", "calendar", "calendar.create"],
    ["send an email to ben@example.org about dinner: I can't come", "email", "email.send"],
    ["delete from orders where id = 1", "data", "data.modify"],
  ])("%s asks", async (message, domain, toolName) => {
    expect(await newTalk().say(message)).toMatchObject({ domain, pendingAction: { toolName } });
  });

  it.each([
    ["what's on my calendar", "calendar.list"],
    ["note: the plumber comes at nine", "note.create"],
    ["create a list called shopping", "list.create"],
    ["check my inbox", "email.read"],
    ["list files", "files.list"],
    ["plan dinner: tacos on Friday", "note.create"],
  ])("%s does not", async (message, tool) => {
    const { actions } = await newTalk().say(message);
    expect(actions.map((action) => action.tool.replace("-", "."))).toEqual([tool]);
  });

  it("a hint decides where the words do not, and a nonsense hint decides nothing", async () => {
    const talk = newTalk();
    expect(await talk.say("add an event: dentist tomorrow at 9am", { domainHint: "calendar" })).toMatchObject({
      domain: "calendar",
    });
    expect(await talk.say("create a task: water the roses", { domainHint: "constructor" })).toMatchObject({
      domain: "tasks",
    });
  });

  it("reads times in the zone of whoever writes", async () => {
    const talk = newTalk();
    await talk.say("create a task: call the office tomorrow at 3pm", { timezone: "Asia/Shanghai" });
    expect(talk.assistant.apps.todos.list("home")[0]?.dueAt).toBe("2026-02-06T07:00:00.000Z");
    await expect(talk.say("hi", { timezone: "Mars/Olympus" })).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("in Chinese", () => {
  it("asks, cancels and confirms", async () => {
    const talk = newTalk();
    const held = await talk.say("我该给妈妈打电话了");
    expect(held.text).toMatch(/将创建任务：“.*”[\s\S]*请确认以继续，或说“取消”放弃。/);
    expect((await talk.say("确认", yes(held))).text).toContain("✅ 已创建任务");
  });
});

describe("what comes again and again", () => {
  it.each([
    ["remind me to water the plants every Monday", "water the plants every Monday"],
    ["create a task: stretch every other day", "stretch every other day"],
    ["创建任务：每周一浇花", "每周一浇花"],
  ])("%s keeps its words and gets no day that would be the only one", async (message, title) => {
    const talk = newTalk();
    await talk.say(message);
    expect(talk.assistant.apps.todos.list("home")).toMatchObject([{ title }]);
    expect(talk.assistant.apps.todos.list("home")[0]?.dueAt).toBeUndefined();
  });
});

describe("an order in the form of a question", () => {
  it("leaves its question mark out of the title, and still asks", async () => {
    const held = await newTalk().say("Can you remind me to water the plants tomorrow?");
    expect(held.pendingAction?.inputPreview).toMatchObject({ title: "water the plants", dueAt: "2026-02-06" });
  });

  it("keeps the mark of a title that asks", async () => {
    const talk = newTalk();
    const held = await talk.say("task: who has the key?");
    expect(held.pendingAction?.inputPreview).toMatchObject({ title: "who has the key?" });
  });
});

describe("a question about what is to be done", () => {
  it.each([
    "what do I have to do tomorrow?",
    "what do I need to do today?",
    "what should I do next?",
    "what's left to do?",
    "我今天要做什么？",
    "我还有什么事要做？",
  ])("%s lists the open tasks", async (message) => {
    const talk = newTalk();
    await talk.say("create a task: water the roses");
    expect(await talk.say(message)).toMatchObject({ text: "• water the roses", actions: [{ tool: "tasks.list" }] });
  });
});

describe("a question that the assistant has no answer to", () => {
  it("changes nothing, and is told what the assistant can do", async () => {
    const talk = newTalk();
    const { text, actions } = await talk.say("what is the capital of France?");
    expect(text).toMatch(/changed nothing\. I look after tasks/);
    expect(actions).toEqual([]);
    expect(talk.titles()).toEqual([]);
  });
});

describe("a question about the assistant itself", () => {
  it.each(["what can you do?", "Help", "help me!", "How does this work?"])(
    "%s is answered by what it can do",
    async (message) => {
      const { text, actions } = await newTalk().say(message);
      expect(text).toMatch(/^I look after tasks/);
      expect(actions).toEqual([]);
    },
  );

  it.each(["你能做什么？", "帮助", "你会做什么"])("%s is answered in Chinese", async (message) => {
    expect((await newTalk().say(message)).text).toMatch(/^我可以管理任务/);
  });

  it("does not take an order that begins with help for one", async () => {
    const talk = newTalk();
    await talk.say("create a task: help me!");
    expect(talk.titles()).toEqual(["help me"]);
  });

  it.each([
    "what waits for me?",
    "What is waiting for my answer?",
    "is anything waiting for me?",
    "do I have anything to approve?",
    "有什么在等我确认吗？",
    "有哪些待我处理？",
  ])("%s names what waits here, and answers nothing", async (message) => {
    const talk = newTalk();
    expect((await talk.say(message, { locale: "en" })).text).toBe("Nothing is waiting for your answer here.");
    await talk.say("create a task: water the roses");
    await talk.say("delete all my tasks");
    const told = await talk.say(message, { locale: "en" });
    expect(told.text).toBe(
      [
        "This still waits for your answer:",
        "• ALL todos, also those not completed, will be permanently deleted.",
        "◦ deletes 1 todo: water the roses",
        'Confirm it on its own card, or say "cancel".',
      ].join("\n"),
    );
    expect(talk.titles()).toEqual(["water the roses"]);
  });
});

describe("times in a reply", () => {
  it("are those of whoever reads, in their words", async () => {
    const talk = newTalk();
    await talk.say("create a task: call the office tomorrow at 3pm", { timezone: "Asia/Shanghai" });
    const there = { timezone: "Asia/Shanghai", locale: "zh" as const };
    expect((await talk.say("show my tasks", { timezone: "Asia/Shanghai" })).text).toContain("(due 6 Feb 2026, 15:00)");
    expect((await talk.say("show my tasks")).text).toContain("(due 6 Feb 2026, 07:00)");
    expect((await talk.say("show my tasks", there)).text).toContain("（截止 2026年2月6日 15:00）");
    await talk.say("create a task: pay the rent on 9 February");
    expect((await talk.say("show my tasks", there)).text).toContain("（截止 2026年2月9日）");
  });
});
