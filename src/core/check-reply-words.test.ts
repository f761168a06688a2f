import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkReplyWords } from "./check-reply-words.js";
import { normaliseReply, readCodedReply, readReply } from "./read-reply.js";

describe("checkReplyWords", () => {
  it.each([
    ["取消", "the opposite"],
    ["ＮＯ", "the opposite"],
    ["", "empty"],
    [" 。", "empty"],
    ["不放行", "a negation"],
    ["没问题", "a negation"],
    ["别执行", "a negation"],
    ["don’t ship it", "a negation"],
    ["no problem", "a negation"],
    ["Not now", "a negation"],
    ["please stop", "a negation"],
    ["ship it?", "than letters"],
    ["放行吗", "a question"],
    ["27", "a digit"],
    ["ok 27", "a digit"],
    ["放行（２７）", "a digit"],
    ["👍", "than letters"],
    ["!!", "empty"],
    ["@everyone", "than letters"],
    ["/approve", "than letters"],
    ["sh\u200Bip", "than letters"],
    ["ship\nit", "than letters"],
    ["ok\uFE0F", "than letters"],
    ["x".repeat(33), "longer than 32"],
  ])("refuses %j as a word to approve (attack E10)", (word, why) => {
    expect(() => checkReplyWords({ approve: [word] })).toThrow(why);
  });

  it.each([
    ["ＯＫ", "the opposite"],
    ["确认", "the opposite"],
    ["", "empty"],
    ["no 27", "a digit"],
    ["👎", "than letters"],
  ])("refuses %j as a word to deny", (word, why) => {
    expect(() => checkReplyWords({ deny: [word] })).toThrow(why);
  });

  it("refuses a word that would say yes and no", () => {
    expect(() => checkReplyWords({ approve: ["go"], deny: ["GO!"] })).toThrow("the opposite");
    expect(() => checkReplyWords({ approve: ["halt"] }, { deny: ["Halt"] })).toThrow("the opposite");
  });

  it("lets a workspace refuse by a word that means yes on the rest of the server, and the no wins (I8)", () => {
    const usual = { approve: ["放行"] };
    expect(() => checkReplyWords({ deny: ["放行"] }, usual)).not.toThrow();
    expect(readReply("放行", { ...usual, deny: ["放行"] })).toBe("deny");
  });

  it("refuses more words than anybody could overlook", () => {
    const many = Array.from({ length: 21 }, (_, at) => `word${"abcdefghijklmnopqrstuvwxyz"[at]}`);
    expect(() => checkReplyWords({ deny: many })).toThrow("At most 20");
  });

  it("takes words that people would add", () => {
    const words = { approve: ["放行", "准奏", "Ship It", "oui", "da", "行"], deny: ["驳回", "不放行", "halt", "nein"] };
    expect(() => checkReplyWords(words)).not.toThrow();
    for (const word of words.approve) expect(readReply(word, words), word).toBe("approve");
    for (const word of words.deny) expect(readReply(word, words), word).toBe("deny");
  });

  it("takes only words that are then read as what they are, with and without a number (I8)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), (word) => {
        try {
          checkReplyWords({ approve: [word] });
        } catch {
          return;
        }
        const words = { approve: [word] };
        expect(readReply(word, words)).toBe("approve");
        expect(readCodedReply(`${normaliseReply(word)} 27`, words)).toEqual({ reading: "approve", code: "27" });
        expect(readReply(`不${word}`, words)).not.toBe("approve");
      }),
      { numRuns: 500 },
    );
  });
});
