import { parseUrl } from "../../core/parse-url.js";
import { joinShown, type Shown, shown } from "../../core/text/shown.js";
import type { CardFace, FaceButton } from "../face.js";
import { inParts } from "../parts.js";

/** Limits of the Bot API: text by UTF-16 units, entities by number, what a button brings back by bytes. */
const MAX_TEXT = 4096;
const MAX_ENTITIES = 100;
const MAX_CALLBACK_DATA = 64;

interface Entity {
  readonly type: "bold" | "code" | "pre";
  readonly offset: number;
  readonly length: number;
}

type KeyboardButton =
  | { readonly text: string; readonly callback_data: string }
  | { readonly text: string; readonly url: string };

interface Drawn {
  readonly text: string;
  readonly entities: readonly Entity[];
}

interface DrawnCard extends Drawn {
  readonly keyboard: readonly (readonly KeyboardButton[])[];
}

interface Piece {
  readonly text: string;
  readonly as: "title" | "words" | "exact";
}

export function draw(face: CardFace): DrawnCard {
  const { buttons } = face;
  const answers = buttons.flatMap((button) =>
    button.kind === "open" ? [] : [{ text: button.label, callback_data: button.value }],
  );
  const opens = buttons.flatMap((button) => (button.kind === "open" ? [button] : []));
  const links = opens.filter(canBeLinked).map(({ label, url }) => [{ text: label, url }]);
  const written = opens.filter((button) => !canBeLinked(button)).map(({ label, url }) => words(`${label}: ${url}`));
  return {
    ...compose([...piecesOf(face), ...(written.length === 0 ? [] : [words(""), ...written])]),
    keyboard: [...(answers.length === 0 ? [] : [answers]), ...links],
  };
}

/** Whether one message shows all of it and each of its buttons. */
export function fits(face: CardFace): boolean {
  const { text, entities, keyboard } = draw(face);
  return (
    isWithin({ text, entities }) &&
    keyboard
      .flat()
      .every((button) => !("callback_data" in button) || Buffer.byteLength(button.callback_data) <= MAX_CALLBACK_DATA)
  );
}

/** Words without a card, in as many messages as they need. Telegram refuses one in which nothing can be seen. */
export function drawWords(text: string): readonly Drawn[] {
  return inParts(text.split("\n"), { size: MAX_TEXT, lines: MAX_ENTITIES })
    .filter((part) => part.trim() !== "")
    .map((part) => compose(part.split("\n").map(words)));
}

function isWithin({ text, entities }: Drawn): boolean {
  return text.length <= MAX_TEXT && entities.length <= MAX_ENTITIES;
}

function words(text: string): Piece {
  return { text, as: "words" };
}

function piecesOf(face: CardFace): readonly Piece[] {
  const { heading, question, facts, sections, closing } = face;
  return [
    title(heading),
    ...[question, ...facts].map(words),
    ...sections.flatMap((section): Piece[] => [
      words(""),
      title(section.title),
      ...(section.exact === true ? [exact(section.lines)] : section.lines.map(words)),
    ]),
    ...(closing.length === 0 ? [] : [shown``, ...closing].map(words)),
  ];
}

function title(text: Shown): Piece {
  return { text, as: "title" };
}

function exact(lines: readonly Shown[]): Piece {
  return { text: joinShown(lines, "\n"), as: "exact" };
}

/**
 * Without any markup language Telegram still makes links of addresses, mentions of @names, tags of #words and commands of
 * /words, but not inside what is marked as code. So a line stays plain only when it holds nothing but letters, a few digits and
 * punctuation of which nothing can be made; what is unknown is code.
 */
const HARMLESS = /^(?:[\p{L}\p{M}\p{So}\d ,;!?()'"·›•…–—\-、。，；：！？（）「」《》“”‘’]|[.:](?= |$))*$/u;
const MANY_DIGITS = /(?:\d\D*){5}/;

function isHarmless(line: string): boolean {
  return HARMLESS.test(line) && !MANY_DIGITS.test(line);
}

function compose(pieces: readonly Piece[]): Drawn {
  const entities: Entity[] = [];
  let text = "";
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) text += "\n";
    const type = typeOf(piece);
    if (type !== undefined) entities.push({ type, offset: text.length, length: piece.text.length });
    text += piece.text;
  }
  return { text, entities };
}

function typeOf({ as, text }: Piece): Entity["type"] | undefined {
  if (text === "") return undefined;
  if (as === "exact") return "pre";
  if (!isHarmless(text)) return "code";
  return as === "title" ? "bold" : undefined;
}

/** Telegram takes no link to a host without a dot, such as localhost. Such an address stands in the text. */
function canBeLinked(button: FaceButton): boolean {
  const url = button.kind === "open" ? parseUrl(button.url) : undefined;
  return (url?.protocol === "https:" || url?.protocol === "http:") && url.hostname.includes(".");
}
