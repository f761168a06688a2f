import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../../test/channels/stand-ins/dingtalk/face.js";
import { plainMarkup } from "../../../test/channels/stand-ins/dingtalk/markup.js";
import { blocksOf, inert } from "./text.js";

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

describe("lines in blocks", () => {
  it("breaks between lines where it can", () => {
    expect(blocksOf(["one", "two", "three"], 7)).toEqual(["one\ntwo", "three"]);
  });

  it("marks the rest of a line that is too long, so that it cannot pass for an argument (attack A: forged lines)", () => {
    const blocks = blocksOf(["amount: 9000", `note: ${"x".repeat(14)}amount: 1`], 20);
    expect(blocks).toEqual(["amount: 9000", "note: xxxxxxxxxxxxxx", "  … amount: 1"]);
  });

  it("never cuts a character in half", () => {
    const blocks = blocksOf(["😀".repeat(50)], 30);
    for (const block of blocks)
      expect(block).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/);
    expect(blocks.join("").replaceAll("  … ", "")).toBe("😀".repeat(50));
  });

  it("keeps empty lines", () => {
    expect(blocksOf(["a", "", "b"], 10)).toEqual(["a\n\nb"]);
    expect(blocksOf([], 10)).toEqual([]);
    expect(blocksOf(["0123456789", "", ""], 10)).toEqual(["0123456789", "\n"]);
  });
});
