import type { RiskTier } from "../../core/risk.js";
import type { ClickAnswer } from "../channel.js";
import type { CardFace, FaceButton } from "../face.js";

/** What one request may weigh, taken as the smaller meaning of 30 KB; the address and ids around the card count too. */
const MAX_REQUEST_BYTES = 30_000;
const ENVELOPE_BYTES = 300;
/** Everything with a tag counts, texts inside buttons too. */
const MAX_ELEMENTS = 200;

interface Tagged {
  readonly tag: string;
  readonly [property: string]: unknown;
}

/** A card as JSON 2.0, where an unknown property is an error: only what is set here may be there. */
export interface FeishuCard {
  readonly schema: "2.0";
  readonly config: object;
  readonly header: object;
  readonly body: { readonly elements: readonly Tagged[] };
}

const COLOURS: Readonly<Record<RiskTier, string>> = { R0: "grey", R1: "blue", R2: "yellow", R3: "orange", R4: "red" };

/** All of the face, and nothing but plain text: no element here knows markdown, mentions or links. */
export function drawCard(face: CardFace): FeishuCard {
  return {
    schema: "2.0",
    // Shared, because an update must reach everybody; not to be carried into another chat.
    config: { update_multi: true, enable_forward: false, width_mode: "fill" },
    header: { title: plain(face.heading), template: COLOURS[face.riskTier] },
    body: {
      elements: [
        text(face.question, { text_size: "heading" }),
        ...lines(face.facts, { text_color: "grey" }),
        ...face.sections.flatMap((section) => [
          { tag: "hr" },
          text(section.title, { text_size: "notation", text_color: "grey" }),
          ...lines(section.lines),
        ]),
        ...(face.closing.length === 0 ? [] : [{ tag: "hr" }, ...lines(face.closing)]),
        ...(face.buttons.length === 0 ? [] : [row(face.buttons, face.riskTier)]),
      ],
    },
  };
}

/** Whether the platform takes this card as one message. */
export function fitsOneMessage(card: FeishuCard): boolean {
  // The card travels as a string inside the request's JSON: quotes and line breaks are escaped twice and weigh so.
  const bytes = Buffer.byteLength(JSON.stringify(JSON.stringify(card)));
  return bytes + ENVELOPE_BYTES <= MAX_REQUEST_BYTES && countElements(card) <= MAX_ELEMENTS;
}

function countElements(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const below = Object.values(value).reduce((sum: number, child) => sum + countElements(child), 0);
  return below + (Object.hasOwn(value, "tag") ? 1 : 0);
}

/**
 * Words without a card, as rich text of plain runs: in a message of type "text" the platform would read `<at …>` as a mention
 * and `**` as bold.
 */
export function drawWords(words: string): string {
  const content = words.split("\n").map((line) => [{ tag: "text", text: line, un_escape: false }]);
  return JSON.stringify({ zh_cn: { content } });
}

/** What goes back with the acknowledgement of a click: a notice for one person, the card for everybody. */
export function drawAnswer({ kind, text: content, face }: ClickAnswer): object {
  const toast = { type: kind, content };
  const card = face === undefined ? undefined : drawCard(face);
  // A card that is refused would take the notice with it.
  return card !== undefined && fitsOneMessage(card) ? { toast, card: { type: "raw", data: card } } : { toast };
}

function plain(content: string, style: object = {}): Tagged {
  return { tag: "plain_text", content, ...style };
}

function text(content: string, style?: object): Tagged {
  return { tag: "div", text: plain(content, style) };
}

function lines(of: readonly string[], style?: object): readonly Tagged[] {
  return of.length === 0 ? [] : [text(of.join("\n"), style)];
}

function row(buttons: readonly FaceButton[], riskTier: RiskTier): Tagged {
  return {
    tag: "column_set",
    flex_mode: "flow",
    columns: buttons.map((button) => ({
      tag: "column",
      width: "auto",
      elements: [
        {
          tag: "button",
          type: styleOf(button, riskTier),
          text: plain(button.label),
          behaviors: [
            button.kind === "open"
              ? { type: "open_url", default_url: button.url }
              : // Official libraries hand on objects only.
                { type: "callback", value: { reference: button.value } },
          ],
        },
      ],
    })),
  };
}

function styleOf({ kind }: FaceButton, riskTier: RiskTier): string {
  if (kind !== "approve") return "default";
  return riskTier === "R4" ? "danger" : "primary";
}
