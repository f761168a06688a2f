import type { KnownBlock, RichTextBlockElement, SectionBlock } from "@slack/web-api";
import { joinShown, type Shown } from "../../core/text/shown.js";
import type { CardFace, FaceButton, FaceSection } from "../face.js";
import { inParts } from "../parts.js";
import { escaped } from "./text.js";

/** Limits of Block Kit. */
const MAX_BLOCKS = 50;
const MAX_HEADER = 150;
const MAX_SECTION = 3_000;
const MAX_LABEL = 75;
const MAX_VALUE = 2_000;
const MAX_URL = 3_000;
/** All blocks together, in bytes: Slack documents no figure and refuses from about 13,000 on. */
const MAX_ALL = 10_000;

/** What clicks are known by. */
export const ACTIONS = { approve: "countersign.approve", deny: "countersign.deny", open: "countersign.open" } as const;

export interface Drawn {
  readonly blocks: KnownBlock[];
  /** For notifications and old clients. */
  readonly text: string;
}

/** Values stand in `plain_text` and `rich_text_preformatted`, in which Slack looks for nothing. */
export function draw(face: CardFace): Drawn {
  const { heading, question, facts, sections, closing, buttons } = face;
  return {
    blocks: [
      { type: "header", text: { type: "plain_text", text: heading, emoji: false } },
      ...words([question, ...facts]),
      ...sections.flatMap(sectionOf),
      ...words(closing),
      ...(buttons.length === 0 ? [] : [{ type: "actions", elements: buttons.map(buttonOf) } as const]),
    ],
    text: escaped(`${heading} ${question}`),
  };
}

/** Whether one message shows all of it, as far as Slack's limits are known. */
export function fits(face: CardFace): boolean {
  const { blocks } = draw(face);
  return (
    blocks.length <= MAX_BLOCKS &&
    Buffer.byteLength(JSON.stringify(blocks)) <= MAX_ALL &&
    face.heading.length <= MAX_HEADER &&
    blocks.every((block) => block.type !== "section" || (block.text?.text.length ?? 0) <= MAX_SECTION) &&
    face.buttons.every(buttonFits)
  );
}

/** Words without a card, in as many messages as they need. */
export function drawWords(text: string): readonly Drawn[] {
  return inParts(text.split("\n"), { size: MAX_SECTION })
    .filter((part) => part.trim() !== "")
    .map((part) => ({ blocks: [plainSection(part)], text: escaped(part) }));
}

function sectionOf({ title, lines, exact }: FaceSection): KnownBlock[] {
  const heading: RichTextBlockElement = {
    type: "rich_text_section",
    elements: [{ type: "text", text: title, style: { bold: true } }],
  };
  if (exact !== true) return [{ type: "rich_text", elements: [heading] }, ...words(lines)];
  const text = joinShown(lines, "\n");
  const body: RichTextBlockElement[] =
    text === "" ? [] : [{ type: "rich_text_preformatted", elements: [{ type: "text", text }] }];
  return [{ type: "rich_text", elements: [heading, ...body] }];
}

function words(lines: readonly Shown[]): KnownBlock[] {
  const text = joinShown(lines, "\n");
  return text.trim() === "" ? [] : [plainSection(text)];
}

/** Always whole: otherwise Slack hides the end of it behind "See more". */
function plainSection(text: string): SectionBlock {
  return { type: "section", text: { type: "plain_text", text, emoji: false }, expand: true };
}

function buttonOf(button: FaceButton) {
  const shared = {
    type: "button",
    action_id: ACTIONS[button.kind],
    text: { type: "plain_text", text: button.label, emoji: false },
  } as const;
  if (button.kind === "open") return { ...shared, url: button.url };
  return { ...shared, value: button.value, style: button.kind === "approve" ? "primary" : "danger" } as const;
}

function buttonFits(button: FaceButton): boolean {
  const carried = button.kind === "open" ? button.url.length <= MAX_URL : button.value.length <= MAX_VALUE;
  return carried && button.label.length <= MAX_LABEL;
}
