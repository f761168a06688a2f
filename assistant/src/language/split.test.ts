import { describe, expect, it } from "vitest";
import { splitMessage } from "./split.js";

describe("the sentences of a message", () => {
  it.each([
    [
      "create a task: buy stamps. I gotta call mom. delete all tasks",
      ["create a task: buy stamps.", "I gotta call mom.", "delete all tasks"],
    ],
    ["create a task: call Dr. Smith tomorrow", ["create a task: call Dr. Smith tomorrow"]],
    ["create a task: buy milk and eggs", ["create a task: buy milk and eggs"]],
    ["create a task: buy milk and send it to mom", ["create a task: buy milk and send it to mom"]],
    ["show my tasks and add a task: buy milk", ["show my tasks", "add a task: buy milk"]],
    ["Hi! Add a task: buy milk", ["Hi!", "Add a task: buy milk"]],
    ["create a task: buy milk. don't delete anything", ["create a task: buy milk.", "don't delete anything"]],
    [
      "note: the plumber comes at nine. He brings tools.\nAsk for the bill.",
      ["note: the plumber comes at nine. He brings tools.\nAsk for the bill."],
    ],
    ["sql: DELETE FROM a WHERE t = 'x. y'; DROP TABLE b", ["sql: DELETE FROM a WHERE t = 'x. y'; DROP TABLE b"]],
    ["创建任务：买牛奶。删除所有任务", ["创建任务：买牛奶。", "删除所有任务"]],
    ["麻烦加个任务，给房东发邮件", ["麻烦加个任务，给房东发邮件"]],
    ["查看我的任务，然后提醒我倒垃圾", ["查看我的任务", "提醒我倒垃圾"]],
    ["   ", []],
  ])("%j", (message, sentences) => {
    expect(splitMessage(message)).toEqual(sentences);
  });
});
