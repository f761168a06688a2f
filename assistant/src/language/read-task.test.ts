import { describe, expect, it } from "vitest";
import { readTask } from "./read-task.js";
import type { TaskIntent } from "./task-intent.js";

const MOMENT = { now: Date.parse("2026-02-05T14:00:00Z"), timezone: "Asia/Shanghai" };

function read(text: string): TaskIntent {
  return readTask(text, MOMENT);
}

function confidenceOf(text: string): number | undefined {
  const intent = read(text);
  return intent.type === "create" ? intent.confidence : undefined;
}

describe("how sure the parser is of a create (seed A16, A17)", () => {
  it.each([
    ["create a task: water the plants", 0.95],
    ["task: water the plants", 0.9],
    ["remind: water the plants", 0.85],
    ["remind me to water the plants", 0.85],
    ["I need to water the plants", 0.75],
    ["I gotta call mom", 0.65],
    ["another task, polish the silver", 0.65],
  ])("%s: %d", (text, confidence) => {
    expect(confidenceOf(text)).toBe(confidence);
  });

  it.each([
    ["an unsure date", "create a task: water the plants next week", 0.76],
    ["a short title", "create a task: nap", 0.665],
    ["a question mark", "create a task: water the plants?", 0.475],
    ["an unsure date and a question mark", "create a task: water the plants soon?", 0.38],
    ["all three", "create a task: nap soon?", 0.266],
    ["a sure date does not", "create a task: water the plants tomorrow", 0.95],
  ])("is multiplied for %s", (_why, text, confidence) => {
    expect(confidenceOf(text)).toBe(confidence);
  });
});

describe("what the parser takes from a create", () => {
  it("reads the seed's own example (flaw F-A2)", () => {
    expect(read("I gotta call mom")).toEqual({
      type: "create",
      pattern: "implicit",
      title: "call mom",
      priority: "medium",
      confidence: 0.65,
    });
  });

  it.each([
    ["create a task: call mom tomorrow at 3pm", "call mom", "2026-02-06T07:00:00.000Z"],
    ["create a task: pay the rent by Friday", "pay the rent", "2026-02-06"],
    ["remind me tomorrow to move the car", "move the car", "2026-02-06"],
    ["创建任务：明天下午三点给妈妈打电话", "给妈妈打电话", "2026-02-06T07:00:00.000Z"],
    ["半小时后提醒我关烤箱", "关烤箱", "2026-02-05T14:30:00.000Z"],
    ["任务：周五前交房租", "交房租", "2026-02-06"],
  ])("%s", (text, title, dueAt) => {
    expect(read(text)).toMatchObject({ type: "create", title, dueAt });
  });

  it("keeps the priority apart from the title", () => {
    expect(read("create a high priority task: renew the insurance")).toMatchObject({ title: "renew the insurance" });
    expect(read("task: renew the insurance asap")).toMatchObject({ title: "renew the insurance", priority: "urgent" });
  });

  it("asks for a title when there is none", () => {
    expect(read("create a task")).toEqual({ type: "untitled" });
    expect(read("task:")).toEqual({ type: "untitled" });
  });
});

describe("what never becomes a create (flaw F-A3)", () => {
  it.each([
    ["delete all tasks", "delete"],
    ["cancel the task", "delete"],
    ["no, do not create that task", "refusal"],
    ["should I create a task?", "question"],
    ["what are my tasks", "question"],
    ["不要创建任务", "refusal"],
    ["删除所有任务", "delete"],
  ])("%s", (text, type) => {
    expect(read(text).type).toBe(type);
  });
});

describe("what is deleted", () => {
  it.each([
    ["delete all tasks", "all", ""],
    ["clear the completed tasks", "completed", ""],
    ["delete the task buy milk", "one", "buy milk"],
    ["remove the laundry task", "one", "laundry"],
    ["delete all tasks about the garden", "all", "garden"],
    ["删除所有任务", "all", ""],
    ["把已完成的待办都清掉", "completed", ""],
    ["删除买牛奶这个任务", "one", "买牛奶"],
  ])("%s", (text, scope, target) => {
    expect(read(text)).toEqual({ type: "delete", scope, target });
  });
});
