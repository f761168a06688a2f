import { describe, expect, it } from "vitest";
import { asShown, endedFace, HOSTILE, hostileFace, sampleFace } from "../../../test/channels/sample-face.js";
import { type Block, checkBlocks, markupOf, textOf } from "../../../test/channels/stand-ins/slack-blocks.js";
import { draw, drawWords, fits } from "./draw.js";

const blocksOf = (face = sampleFace()) => draw(face).blocks as unknown as readonly Block[];

describe("drawing a card for Slack", () => {
  it("shows every line of the face in its order", () => {
    expect(textOf(blocksOf())).toBe(
      [
        "◆ Leaves the system (R3) · 27",
        "Send an e-mail to bob@example.com?",
        "Ann's assistant asks · until 2026-11-16 05:00 UTC",
        "mail.send (mail)",
        "Arguments (2 values, 64 bytes)",
        'to: "bob@example.com"',
        'body: "See https://example.com/report"',
        "Why you are asked",
        "It leaves the system.",
        "Answer with a button, or write: approve 27",
      ].join("\n"),
    );
  });

  it("keeps exact arguments in a fixed width, and every section open to its end (attack A3)", () => {
    const blocks = draw(sampleFace()).blocks;
    expect(JSON.stringify(blocks)).toContain('"rich_text_preformatted"');
    expect(blocks.filter(({ type }) => type === "section").every((block) => "expand" in block && block.expand)).toBe(
      true,
    );
  });

  it("has buttons while there is something to press", () => {
    expect(draw(sampleFace()).blocks.at(-1)).toMatchObject({
      type: "actions",
      elements: [
        { action_id: "countersign.approve", style: "primary", value: expect.any(String) as string },
        { action_id: "countersign.deny", style: "danger" },
        { action_id: "countersign.open", url: "https://countersign.example/approvals/a1" },
      ],
    });
    expect(draw(endedFace()).blocks.some(({ type }) => type === "actions")).toBe(false);
  });

  it("lets no value become a link, a mention, an emoji or a format, in the card, its fallback or in words (attack A7)", () => {
    const { blocks, text } = draw(hostileFace());
    expect(markupOf(blocks as unknown as readonly Block[], text)).toEqual([]);
    for (const line of HOSTILE) {
      for (const words of drawWords(line)) {
        expect(markupOf(words.blocks as unknown as readonly Block[], words.text)).toEqual([]);
        expect(textOf(words.blocks as unknown as readonly Block[])).toBe(line);
      }
    }
  });

  it("leaves out what is empty, which Slack would refuse", () => {
    const face = sampleFace({
      facts: [],
      sections: [
        { title: asShown("Arguments"), lines: [], exact: true },
        { title: asShown("Effects"), lines: [asShown("")] },
      ],
      closing: [],
    });
    expect(() => checkBlocks(blocksOf(face))).not.toThrow();
  });
});

describe("what fits in a Slack message", () => {
  const exactly = (text: string) =>
    sampleFace({ sections: [{ title: asShown("Arguments"), lines: [asShown(text)], exact: true }] });

  it("is what Slack is known to take, with room to spare", () => {
    for (const size of [1, 1_000, 8_000]) {
      expect(fits(exactly("x".repeat(size)))).toBe(true);
      expect(() => checkBlocks(blocksOf(exactly("x".repeat(size))))).not.toThrow();
    }
    expect(fits(exactly("x".repeat(10_000)))).toBe(false);
  });

  it("is 3000 units in a section, 150 in the heading, 50 blocks and 75 on a button", () => {
    const why = (text: string) => sampleFace({ sections: [{ title: asShown("Why"), lines: [asShown(text)] }] });
    expect([fits(why("x".repeat(3_000))), fits(why("x".repeat(3_001)))]).toEqual([true, false]);
    const heading = (length: number) => sampleFace({ heading: asShown("x".repeat(length)) });
    expect([fits(heading(150)), fits(heading(151))]).toEqual([true, false]);
    const many = (count: number) =>
      sampleFace({ sections: Array.from({ length: count }, () => ({ title: asShown("t"), lines: [], exact: true })) });
    const others = draw(many(0)).blocks.length;
    expect([fits(many(50 - others)), fits(many(51 - others))]).toEqual([true, false]);
    const button = (length: number) =>
      sampleFace({ buttons: [{ kind: "deny", label: asShown("x".repeat(length)), value: "v", says: "deny" }] });
    expect([fits(button(75)), fits(button(76))]).toEqual([true, false]);
  });
});

describe("words without a card", () => {
  it("go out in as many messages as they need, each one that Slack takes", () => {
    const text = Array.from({ length: 600 }, (_, i) => `line ${i} ${"审".repeat(40)}`).join("\n");
    const messages = drawWords(text);
    expect(messages.length).toBeGreaterThan(1);
    expect(messages.map(({ blocks }) => textOf(blocks as unknown as readonly Block[])).join("\n")).toBe(text);
    for (const { blocks } of messages) expect(() => checkBlocks(blocks as unknown as readonly Block[])).not.toThrow();
  });

  it("send nothing where nothing is to be seen", () => {
    expect(drawWords(" \n ")).toEqual([]);
  });
});
