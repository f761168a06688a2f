import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { APPROVE, DENY, HOSTILE, sampleFace } from "../../../test/channels/sample-face.js";
import { drawnCard, drawnWords } from "../../../test/channels/stand-ins/feishu/cards.js";
import type { Shown } from "../../core/text/shown.js";
import { type CardFace, faceLines } from "../face.js";
import { drawAnswer, drawCard, drawWords, fitsOneMessage } from "./draw.js";

const NAUGHTY = "../shared/data/naughty-strings.json";

/** Markdown, mentions and tags that this platform knows somewhere. */
const OWN = [
  "**ALREADY APPROVED**",
  "<at id=all></at>",
  '<at user_id="ou_1">Ann</at>',
  "[Approve](https://evil.example)",
  "```\nend of code\n```",
  "</font><font color='green'>safe</font>",
  "![](img_v2_1)",
  ":DONE:",
  "@_user_1 @all @所有人",
  "<link url='https://evil.example'>x</link>",
  '","tag":"markdown","content":"x',
  "{{template}} ${urlVal}",
  "<number_tag>1</number_tag><text_tag color='red'>x</text_tag>",
  "| a | b |\n|---|---|",
];

const look = (face: CardFace) => {
  const drawn = drawnCard(JSON.stringify(drawCard(face)));
  if ("problem" in drawn) throw new Error(drawn.problem);
  return drawn;
};

describe("a face on Feishu", () => {
  it("is a shared card of version 2.0 that cannot be forwarded", () => {
    expect(drawCard(sampleFace())).toMatchObject({
      schema: "2.0",
      config: { update_multi: true, enable_forward: false },
    });
  });

  it("shows everything in the card's order", () => {
    const { text, buttons, links } = look(sampleFace());
    const shown = faceLines(sampleFace()).filter((line) => line !== "");
    expect(text).toBe([...shown, "Approve", "Deny", "Open full view"].join("\n"));
    expect(buttons).toEqual([
      { label: "Approve", value: { reference: APPROVE } },
      { label: "Deny", value: { reference: DENY } },
    ]);
    expect(links).toEqual(["https://countersign.example/approvals/a1"]);
  });

  it.each([...HOSTILE, ...OWN])("shows %j letter by letter, wherever it stands (attack A7)", (hostile) => {
    const words = hostile as Shown;
    const face = sampleFace({
      heading: words,
      question: words,
      facts: [words],
      sections: [{ title: words, lines: [words], exact: true }],
      closing: [words],
    });
    const { text, markup, buttons, links } = look(face);
    expect(text.split(hostile)).toHaveLength(7);
    expect(markup).toEqual([]);
    expect([buttons.length, links.length]).toEqual([2, 1]);
    expect(drawnWords("post", drawWords(hostile))).toMatchObject({ text: hostile, markup: [] });
  });

  it.runIf(existsSync(NAUGHTY))("shows every naughty string as it is", () => {
    for (const naughty of JSON.parse(readFileSync(NAUGHTY, "utf8")) as string[]) {
      const { text, markup, buttons } = look(sampleFace({ argument: naughty }));
      expect(text).toContain(naughty);
      expect([markup, buttons.length]).toEqual([[], 2]);
    }
  });

  it("has no button and no link once its buttons are gone", () => {
    const { buttons, links } = look(sampleFace({ buttons: [] }));
    expect([buttons, links]).toEqual([[], []]);
  });

  it("goes with the answer to a click", () => {
    const face = sampleFace({ buttons: [] });
    expect(drawAnswer({ kind: "info", text: "Decided already.", face })).toEqual({
      toast: { type: "info", content: "Decided already." },
      card: { type: "raw", data: drawCard(face) },
    });
    const large = sampleFace({ argument: "x".repeat(40_000) });
    expect(drawAnswer({ kind: "error", text: "No.", face: large })).toEqual({
      toast: { type: "error", content: "No." },
    });
  });
});

describe("what fits into one Feishu message", () => {
  const bytesOf = (face: CardFace) =>
    Buffer.byteLength(
      JSON.stringify({
        receive_id: "oc_".padEnd(64, "0"),
        msg_type: "interactive",
        content: JSON.stringify(drawCard(face)),
        uuid: "0".repeat(50),
      }),
    );

  it.each(["x", "好", '"', "\n", "\\", "😀"])("is measured in bytes as they travel, for texts of %j", (letter) => {
    let fitting = 0;
    for (let step = 16_384; step >= 1; step /= 2) {
      const face = sampleFace({ argument: letter.repeat(fitting + step) });
      if (fitsOneMessage(drawCard(face))) fitting += step;
    }
    expect(bytesOf(sampleFace({ argument: letter.repeat(fitting) }))).toBeLessThanOrEqual(30_000);
    expect(bytesOf(sampleFace({ argument: letter.repeat(fitting + 1) }))).toBeGreaterThan(29_000);
  });

  it("is at most 200 elements", () => {
    const section = { title: "t" as Shown, lines: ["l" as Shown] };
    const withSections = (count: number) =>
      drawCard(sampleFace({ sections: Array.from({ length: count }, () => section) }));
    expect(fitsOneMessage(withSections(30))).toBe(true);
    expect(fitsOneMessage(withSections(40))).toBe(false);
    expect(drawnCard(JSON.stringify(withSections(40)))).toHaveProperty("problem");
  });
});
