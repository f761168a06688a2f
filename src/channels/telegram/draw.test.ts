import { describe, expect, it } from "vitest";
import { asShown, endedFace, HOSTILE, hostileFace, sampleFace } from "../../../test/channels/sample-face.js";
import { markupOf } from "../../../test/channels/stand-ins/telegram-text.js";
import { draw, drawWords, fits } from "./draw.js";

const marked = (face = sampleFace()) => {
  const { text, entities } = draw(face);
  return entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)]);
};

describe("drawing a card for Telegram", () => {
  it("shows every line of the face in its order", () => {
    expect(draw(sampleFace()).text).toBe(
      [
        "◆ Leaves the system (R3) · 27",
        "Send an e-mail to bob@example.com?",
        "Ann's assistant asks · until 2026-11-16 05:00 UTC",
        "mail.send (mail)",
        "",
        "Arguments (2 values, 64 bytes)",
        'to: "bob@example.com"',
        'body: "See https://example.com/report"',
        "",
        "Why you are asked",
        "It leaves the system.",
        "",
        "Answer with a button, or write: approve 27",
      ].join("\n"),
    );
  });

  it("marks exact arguments as one block and lines with addresses or times as code", () => {
    expect(marked()).toEqual([
      ["bold", "◆ Leaves the system (R3) · 27"],
      ["code", "Send an e-mail to bob@example.com?"],
      ["code", "Ann's assistant asks · until 2026-11-16 05:00 UTC"],
      ["code", "mail.send (mail)"],
      ["bold", "Arguments (2 values, 64 bytes)"],
      ["pre", 'to: "bob@example.com"\nbody: "See https://example.com/report"'],
      ["bold", "Why you are asked"],
    ]);
  });

  it("counts offsets in UTF-16 units, as Telegram does", () => {
    expect(
      marked(sampleFace({ heading: asShown("🎉 审批 · 27"), question: asShown("发给 🎉 a@b.example") }))[1],
    ).toEqual(["code", "发给 🎉 a@b.example"]);
  });

  it("puts answers in one row and the link below, and nothing where nothing can be pressed", () => {
    expect(draw(sampleFace()).keyboard.map((row) => row.map(({ text }) => text))).toEqual([
      ["Approve", "Deny"],
      ["Open full view"],
    ]);
    expect(draw(endedFace()).keyboard).toEqual([]);
  });

  it("writes an address out that Telegram takes no link to", () => {
    const face = sampleFace({ buttons: [{ kind: "open", label: asShown("Open"), url: "http://localhost:4477/a/1" }] });
    expect(draw(face).keyboard).toEqual([]);
    expect(draw(face).text).toMatch(/\n\nOpen: http:\/\/localhost:4477\/a\/1$/);
  });

  it("lets no value become a link, a mention, a tag or a command (attack A7)", () => {
    const { text, entities } = draw(hostileFace());
    expect(markupOf(text, entities)).toEqual([]);
    for (const line of HOSTILE) {
      expect(drawWords(line).flatMap((drawn) => markupOf(drawn.text, drawn.entities))).toEqual([]);
    }
  });

  it("has values that would become something if they were not marked", () => {
    expect(HOSTILE.filter((line) => markupOf(line, []).length > 0).length).toBeGreaterThan(5);
  });
});

describe("what fits in a Telegram message", () => {
  const withLines = (lines: readonly string[]) =>
    sampleFace({ sections: [{ title: asShown("Arguments"), lines: lines.map(asShown), exact: true }] });
  const room = 4096 - draw(withLines([""])).text.length;

  it("is 4096 units, to the last one (attack A3)", () => {
    expect(fits(withLines(["x".repeat(room)]))).toBe(true);
    expect(fits(withLines(["x".repeat(room + 1)]))).toBe(false);
    expect(fits(withLines([`${"x".repeat(room - 1)}🎉`]))).toBe(false);
  });

  it("is a hundred marked places: more would be dropped, and their values come alive", () => {
    const facts = (count: number) => sampleFace({ facts: Array.from({ length: count }, () => asShown("a.example")) });
    const others = draw(facts(0)).entities.length;
    expect(fits(facts(100 - others))).toBe(true);
    expect(fits(facts(101 - others))).toBe(false);
  });

  it("is 64 bytes behind a button", () => {
    const button = (value: string) => ({ kind: "deny", label: asShown("Deny"), value, says: "deny" }) as const;
    expect(fits(sampleFace({ buttons: [button("x".repeat(64))] }))).toBe(true);
    expect(fits(sampleFace({ buttons: [button("审".repeat(22))] }))).toBe(false);
  });
});

describe("words without a card", () => {
  it("go out in as many messages as they need, whole", () => {
    const text = Array.from({ length: 400 }, (_, i) => `line ${i}: https://example.com/${"x".repeat(20)}`).join("\n");
    const messages = drawWords(text);
    expect(messages.map((message) => message.text).join("\n")).toBe(text);
    for (const { text: part, entities } of messages) {
      expect(part.length).toBeLessThanOrEqual(4096);
      expect(entities.length).toBeLessThanOrEqual(100);
    }
  });

  it("break a line that no message could hold between characters, and mark where it goes on", () => {
    const messages = drawWords("🎉".repeat(3000));
    expect(messages.map(({ text }) => text)).toEqual(["🎉".repeat(2048), `  … ${"🎉".repeat(952)}`]);
  });

  it("send nothing where nothing is to be seen", () => {
    expect(drawWords(" \n ")).toEqual([]);
  });
});
