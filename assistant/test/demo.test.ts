import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { newTalk, type Talk } from "./chat-world.js";
import { PERSON } from "./world.js";

async function cards(talk: Talk) {
  return Object.fromEntries((await talk.assistant.gate.pending(PERSON)).map((card) => [String(card.tool), card]));
}

async function answer(talk: Talk, tool: string, decision: "approve" | "deny", args?: object): Promise<void> {
  const card = (await cards(talk))[tool];
  if (card === undefined) throw new Error(`nothing waits for ${tool}`);
  const { approvalId, toolCallHash } = card;
  await talk.assistant.gate.decide(
    { approvalId, decision, toolCallHash, ...(args === undefined ? {} : { args }) },
    PERSON,
  );
}

function said(talk: Talk): string {
  return talk.assistant.demo
    .lines("home")
    .map(({ en, zh }) => `${en} ${zh}`)
    .join("\n");
}

describe("the first minute", () => {
  it("has done two reads and waits on three calls: unsure, outward, irreversible", async () => {
    const talk = newTalk();
    expect(await talk.assistant.demo.start(PERSON)).toBe(true);
    const waiting = await cards(talk);
    expect(Object.keys(waiting).toSorted()).toEqual(["email.send", "tasks.create", "todo.clear"]);
    expect(waiting["todo.clear"]?.riskTier).toBe("R4");
    expect(JSON.stringify(waiting["tasks.create"]?.reasons)).toContain("65 %");
    expect(JSON.stringify(waiting["email.send"]?.arguments)).toContain("look_alike_host");
    expect(said(talk)).toContain("This is a demo");
    expect(said(talk)).toContain("这是使用虚构数据的演示");
    expect(talk.titles("all")).toHaveLength(5);
  });

  it("goes on when a call is approved", async () => {
    const talk = newTalk();
    await talk.assistant.demo.start(PERSON);
    await answer(talk, "tasks.create", "approve");
    await vi.waitFor(() => expect(said(talk)).toContain("The task is on your list."));
    expect(talk.titles()).toContain("do something about the gutters");
  });

  it("plans again after a no, and says what it does instead (seed D27)", async () => {
    const talk = newTalk();
    await talk.assistant.demo.start(PERSON);
    await answer(talk, "email.send", "deny");
    await vi.waitFor(async () =>
      expect(JSON.stringify((await cards(talk))["email.send"])).not.toContain("look_alike_host"),
    );
    await answer(talk, "email.send", "approve");
    await vi.waitFor(() => expect(said(talk)).toContain("Sent to two people"));
    expect(readdirSync(join(talk.folder, "mail", "outbox"))).toHaveLength(1);

    await answer(talk, "todo.clear", "deny");
    await vi.waitFor(async () =>
      expect(String((await cards(talk))["todo.clear"]?.humanSummary)).toContain("completed"),
    );
    await answer(talk, "todo.clear", "approve");
    await vi.waitFor(() => expect(said(talk)).toContain("the open ones are still there"));
    expect(talk.titles("all")).toHaveLength(3);
  });

  it("says what a person changed", async () => {
    const talk = newTalk();
    await talk.assistant.demo.start(PERSON);
    await answer(talk, "tasks.create", "approve", { title: "clean the gutters", priority: "high" });
    await vi.waitFor(() => expect(said(talk)).toContain("You changed"));
    expect(talk.titles()).toContain("clean the gutters");
  });

  it("can be removed with one call, and starts in no household that has data", async () => {
    const talk = newTalk();
    await talk.assistant.demo.start(PERSON);
    await answer(talk, "tasks.create", "approve");
    await vi.waitFor(() => expect(said(talk)).toContain("The task is on your list."));
    await talk.assistant.demo.remove(PERSON);
    expect([talk.titles("all"), await talk.assistant.gate.pending(PERSON), said(talk)]).toEqual([[], [], ""]);
    await talk.say("create a task: water the roses");
    expect(await talk.assistant.demo.start(PERSON)).toBe(false);
  });
});
