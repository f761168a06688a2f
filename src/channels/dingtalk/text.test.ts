import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../../test/channels/stand-ins/dingtalk/face.js";
import { plainMarkup } from "../../../test/channels/stand-ins/dingtalk/markup.js";
import { inert } from "./text.js";

describe("text that a client makes nothing of", () => {
  it.each(HOSTILE)("keeps %j as it looks and leaves nothing alive in it", (text) => {
    expect(inert(text).replaceAll("\u200B", "")).toBe(text.replaceAll("\u200B", ""));
    expect(plainMarkup(inert(text))).toEqual([]);
  });

  it("is tried on words that are alive without it", () => {
    expect(HOSTILE.flatMap(plainMarkup).length).toBeGreaterThan(10);
  });

  it("leaves the words to answer with alone", () => {
    expect(inert("回复 确认 27 或 取消 27")).toBe("回复 确认 27 或 取消 27");
  });
});
