import { describe, expect, it } from "vitest";
import { type ChatEvent, confirmDialog } from "../src/index.js";
import { newTalk, type Talk } from "./chat-world.js";
import { PERSON } from "./world.js";

/** Reads a stream to its end, answering each question on the way. */
async function read(
  talk: Talk,
  message: string,
  answer: (event: Extract<ChatEvent, { type: "approval_required" }>) => "approve" | "deny" = () => "approve",
): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of talk.assistant.stream({ message, conversationId: "c1" }, PERSON)) {
    events.push(event);
    if (event.type !== "approval_required") continue;
    const { approvalId, toolCallHash } = event.card;
    await talk.assistant.gate.decide({ approvalId, decision: answer(event), toolCallHash }, PERSON);
  }
  return events;
}

function only<Type extends ChatEvent["type"]>(events: readonly ChatEvent[], type: Type) {
  return events.filter((event): event is Extract<ChatEvent, { type: Type }> => event.type === type);
}

const steps = (events: readonly ChatEvent[]) => events.map(({ type }) => type).filter((type) => type !== "token");

describe("streaming (seed B6, B7)", () => {
  it("tells start and end of a call with its id, arguments, latency and metadata (flaw F-B7)", async () => {
    const events = await read(newTalk(), "create a task: water the roses");
    expect(steps(events)).toEqual(["tool_start", "tool_end", "done"]);
    const [start] = only(events, "tool_start");
    const [end] = only(events, "tool_end");
    expect(start).toMatchObject({ name: "tasks.create", args: { title: "water the roses" } });
    expect(end).toMatchObject({
      callId: start?.callId,
      name: "tasks.create",
      result: { success: true },
      latencyMs: expect.any(Number),
      metadata: { destructive: false, mutation: true },
    });
    expect(
      only(events, "token")
        .map(({ text }) => text)
        .join(""),
    ).toBe('✅ Created task: "water the roses"');
  });

  it("asks before it runs, and ends after the yes (seed B8; flaws F-B1, F-B3)", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the roses");
    const events = await read(talk, "delete all tasks", () => {
      expect(talk.titles()).toEqual(["water the roses"]);
      return "approve";
    });
    expect(steps(events)).toEqual(["tool_start", "approval_required", "approval_resolved", "tool_end", "done"]);
    expect(only(events, "approval_resolved")[0]).toMatchObject({ outcome: "approved" });
    expect(only(events, "tool_end")[0]).toMatchObject({
      name: "todo.clear",
      metadata: {
        destructive: true,
        confirmPrompt: "ALL todos, also those not completed, will be permanently deleted.",
      },
    });
    expect(talk.titles()).toEqual([]);
  });

  it("asks again on the same call when what it would do has changed before the yes (I3)", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the roses");
    let questions = 0;
    const events = await read(talk, "delete all tasks", () => {
      if (questions++ === 0) talk.assistant.apps.todos.create("home", "ann", { title: "feed the cat" });
      return "approve";
    });
    const asked = only(events, "approval_required");
    expect(steps(events)).toEqual([
      "tool_start",
      "approval_required",
      "approval_required",
      "approval_resolved",
      "tool_end",
      "done",
    ]);
    expect(new Set(asked.map(({ callId }) => callId)).size).toBe(1);
    expect(new Set(asked.map(({ card }) => card.approvalId)).size).toBe(2);
    expect(asked[1]?.card.effects.map(({ text }) => String(text)).join()).toContain("2 ");
    expect(talk.titles()).toEqual([]);
  });

  it("runs nothing after a no, and says so (seed B10, D27)", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the roses");
    const events = await read(talk, "delete all tasks", () => "deny");
    expect(only(events, "approval_resolved")[0]).toMatchObject({ outcome: "denied" });
    expect(only(events, "tool_end")[0]).toMatchObject({ result: { success: false } });
    expect(talk.titles()).toEqual(["water the roses"]);
  });

  it("keeps two calls that wait at once apart (flaw F-B7)", async () => {
    const talk = newTalk();
    await talk.say("create a task: water the roses");
    const events = await read(talk, "I gotta call mom. delete all tasks", ({ card }) =>
      String(card.tool) === "tasks.create" ? "deny" : "approve",
    );
    const resolved = new Map(only(events, "approval_resolved").map(({ callId, outcome }) => [callId, outcome]));
    const asked = only(events, "approval_required").map(({ callId, card }) => [
      String(card.tool),
      resolved.get(callId),
    ]);
    expect(Object.fromEntries(asked)).toEqual({ "tasks.create": "denied", "todo.clear": "approved" });
  });

  it("calls back by position when a call has ended (seed B6)", async () => {
    const ended: unknown[][] = [];
    const talk = newTalk({ callbacks: { onToolEnd: (...told) => ended.push(told) } });
    await talk.say("create a list called shopping");
    expect(ended).toEqual([
      [
        "list.create",
        expect.objectContaining({ success: true }),
        expect.any(Number),
        expect.objectContaining({ destructive: false }),
      ],
    ]);
  });

  it("tells a request that is none as an error, without what is behind it", async () => {
    const talk = newTalk();
    const events: ChatEvent[] = [];
    for await (const event of talk.assistant.stream(
      { message: "yes", confirmationToken: "pa_x", confirmed: true },
      PERSON,
    )) {
      events.push(event);
    }
    expect(events).toEqual([{ type: "error", message: "This confirmation is not valid." }]);
  });
});

describe("the dialog of a frontend (seed B3, B8, B9, B14; flaw F-4)", () => {
  it.each([
    [
      { destructive: true, mutation: true, tags: [], confirmPrompt: "This todo will be permanently deleted." },
      "This todo will be permanently deleted.",
    ],
    [{ destructive: true, mutation: true, tags: [] }, "Are you sure?"],
    [undefined, "Are you sure?"],
  ])("opens for %o", (metadata, prompt) => {
    expect(confirmDialog(metadata)).toEqual({ title: "Confirm Agent Action", prompt });
  });

  it("does not open for what is known to destroy nothing", () => {
    expect(confirmDialog({ destructive: false, mutation: true, tags: [] })).toBeUndefined();
  });
});

describe("metadata survives every conversion (flaw F-B6)", () => {
  const prompt = "This todo will be permanently deleted.";

  it("in a batch, where each is asked about on its own", async () => {
    const { assistant } = newTalk();
    const [made, cleared] = await assistant.batch(
      [
        { name: "todo-create", args: { title: "milk" } },
        { name: "todo-clear", args: { all: true } },
        { name: "no-such" },
      ],
      PERSON,
    );
    expect(made).toMatchObject({ outcome: "succeeded", metadata: { destructive: false } });
    expect(cleared).toMatchObject({ outcome: "pending", metadata: { destructive: true, tags: ["destructive"] } });
  });

  it("in a pipeline, which waits where it has to ask", async () => {
    const { assistant } = newTalk();
    const outcomes = await assistant.pipeline(
      [
        { name: "todo-create", args: { title: "milk" } },
        { name: "todo-delete", args: { id: { $from: "todo.id" } } },
        { name: "todo-list" },
      ],
      PERSON,
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["succeeded", "pending"]);
    expect(outcomes[1]?.metadata).toMatchObject({ destructive: true, confirmPrompt: prompt });
  });

  it("as JSON", () => {
    const metadata = newTalk().assistant.gate.registry.listCommandsWithMetadata();
    expect(JSON.parse(JSON.stringify(metadata))).toEqual(metadata);
  });
});
