import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCodedReply, readReply } from "./read-reply.js";

const REPLIES = readFileSync(new URL("../../test/channels/replies.tsv", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [expected = "", text = ""] = line.split("\t");
    return { expected, text: JSON.parse(text) as string };
  });

describe("readReply", () => {
  it("reads every labelled reply as people mean it (attack E10, seed E11)", () => {
    expect(REPLIES.length).toBeGreaterThanOrEqual(300);
    const wrong = REPLIES.filter(({ expected, text }) => readReply(text) !== expected);
    expect(wrong).toEqual([]);
  });

  it("never takes anything else for a yes (I8)", () => {
    const falseApprovals = REPLIES.filter(
      ({ expected, text }) => expected !== "approve" && readReply(text) === "approve",
    );
    expect(falseApprovals).toEqual([]);
  });

  it("gives the code that names the question", () => {
    expect(readCodedReply("确认 27")).toEqual({ reading: "approve", code: "27" });
    expect(readCodedReply("取消（０５）")).toEqual({ reading: "deny", code: "05" });
    expect(readCodedReply("27")).toEqual({ reading: "unclear" });
    expect(readCodedReply("why 27")).toEqual({ reading: "unclear" });
  });

  it("knows a workspace's own words, whole and in any case", () => {
    const words = { approve: ["Ship It"], deny: ["Halt"] };
    expect(readReply("ship it!", words)).toBe("approve");
    expect(readReply("HALT", words)).toBe("deny");
    expect(readReply("ship it later", words)).toBe("unclear");
  });

  it("never reads a negated word as a yes (I8)", () => {
    for (const negation of ["不", "别", "未", "没", "not ", "don't ", "no ", "never "]) {
      for (const word of ["确认", "yes", "ok", "执行", "同意"]) {
        expect(readReply(`${negation}${word}`), negation + word).not.toBe("approve");
      }
    }
  });

  it("never reads a word of assent out of a longer message (I8)", () => {
    const others = fc.stringMatching(/^[a-z甲-癸?？]{1,12}$/);
    fc.assert(
      fc.property(
        others,
        fc.constantFrom("确认", "yes", "ok"),
        fc.constantFrom("", " ", ", ", "，"),
        (other, word, gap) => {
          fc.pre(gap !== "" || !/^[a-z]+$/.test(other));
          expect(readReply(`${other}${gap}${word}`)).not.toBe("approve");
          expect(readReply(`${word}${gap}${other}`)).not.toBe("approve");
        },
      ),
    );
  });
});
