import { beforeEach, describe, expect, it } from "vitest";
import { type Beginning, Known } from "./known.js";

let known: Known;
beforeEach(() => {
  known = new Known();
});

function text(id: string, line: string): Beginning {
  return { space: "approval", id, line };
}

describe("what is known of the texts in Redis", () => {
  it("takes what nobody asked for yet for absent, and what was sent for applied", () => {
    expect(known.get("approval", "a")).toBe("");
    known.expect([text("a", "1 first\n")]);
    expect(known.get("approval", "a")).toBe("1 first\n");
    expect(known.get("grant", "a")).toBe("");
  });

  it("believes the first of two groups that failed one behind the other, not the second", () => {
    const first = known.expect([text("a", "2 mine\n")]);
    const second = known.expect([text("a", "3 mine\n"), text("b", "1 mine\n")]);
    known.correct(first, [text("a", "5 theirs\n")]);
    const again = known.expect([text("a", "6 mine\n")]);
    known.correct(second, [text("a", "5 theirs\n"), text("b", "")]);
    expect(known.get("approval", "a")).toBe("6 mine\n");
    expect(known.get("approval", "b")).toBe("");
    known.correct(again, [text("a", "7 theirs\n")]);
    expect(known.get("approval", "a")).toBe("7 theirs\n");
  });

  it("learns from reading, but for answers that are older than what was sent", () => {
    known.read("approval", "a", "2 read\nvalue");
    expect(known.get("approval", "a")).toBe("2 read\n");
    known.expect([text("a", "3 mine\n")]);
    known.read("approval", "a", "2 read\nvalue");
    expect(known.get("approval", "a")).toBe("3 mine\n");
    known.read("approval", "a", "4 theirs\nvalue");
    expect(known.get("approval", "a")).toBe("4 theirs\n");
  });

  it("forgets what was not needed for long", () => {
    known.expect([text("old", "1 old\n")]);
    known.expect(Array.from({ length: 20_000 }, (_, n) => text(`id ${n}`, "1 new\n")));
    expect(known.get("approval", "old")).toBe("");
    expect(known.get("approval", "id 19999")).toBe("1 new\n");
  });
});
