import { describe, expect, it } from "vitest";
import { plainReply } from "./reply-words.js";

describe("a message that is an answer and nothing else (flaw F-E1)", () => {
  it.each(["yes", "Y", " ok ", "OK!", "确认", "Ｙ", "好的", "执行"])("%s says yes", (message) => {
    expect(plainReply(message)).toBe("yes");
  });

  it.each(["no", "Cancel.", "取消", "算了", "不", "never mind"])("%s says no", (message) => {
    expect(plainReply(message)).toBe("no");
  });

  it.each([
    "不确认",
    "取消确认",
    "不要执行",
    "not ok",
    "no, not yet",
    "why?",
    "maybe later",
    "cancel my order",
    "yesterday",
    "yes, but change it to Friday",
    "确认什么？",
    "",
  ])("%s says neither", (message) => {
    expect(plainReply(message)).toBeUndefined();
  });
});
