import type { SeenMessage } from "../../stand-in.js";

/** A card as it was sent, and what it looks like. */
export interface DrawnCard {
  readonly json: string;
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly value: unknown }[];
  readonly links: readonly string[];
  readonly markup: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** JSON 2.0 takes these properties and answers any other with an error. */
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  card: ["schema", "config", "header", "body"],
  config: ["update_multi", "enable_forward", "enable_forward_interaction", "width_mode", "summary", "style"],
  header: ["title", "subtitle", "template", "padding"],
  body: ["elements", "direction", "padding", "horizontal_spacing", "vertical_spacing"],
  div: ["tag", "element_id", "margin", "width", "text", "icon"],
  plain_text: ["tag", "content", "text_size", "text_color", "text_align", "lines"],
  lark_md: ["tag", "content", "text_size", "text_color", "text_align"],
  markdown: ["tag", "content", "text_size", "text_align", "element_id", "margin"],
  hr: ["tag", "element_id", "margin"],
  column_set: ["tag", "element_id", "margin", "flex_mode", "horizontal_spacing", "background_style", "columns"],
  column: ["tag", "element_id", "margin", "width", "weight", "vertical_align", "elements", "background_style"],
  button: ["tag", "element_id", "margin", "type", "size", "width", "text", "icon", "disabled", "behaviors", "confirm"],
};

const TEMPLATES = [
  "blue",
  "wathet",
  "turquoise",
  "green",
  "yellow",
  "orange",
  "red",
  "carmine",
  "violet",
  "purple",
  "grey",
];

/** Draws a card, or says what the platform has against it. */
export function drawnCard(json: string): DrawnCard | { readonly problem: string } {
  try {
    const card = JSON.parse(json) as Json;
    check(card, "card");
    if (card["schema"] !== "2.0") throw new Error("a card of version 1.0");
    const config = card["config"] as Json;
    check(config, "config");
    if (config["update_multi"] !== true) throw new Error("a card that is not shared");
    if (config["enable_forward"] !== false) throw new Error("a card that can be forwarded");
    const header = card["header"] as Json;
    check(header, "header");
    if (!TEMPLATES.includes(String(header["template"]))) throw new Error(`the template ${String(header["template"])}`);
    check(card["body"] as Json, "body");
    const elements = [header["title"] as Json, ...((card["body"] as Json)["elements"] as Json[])];
    const count = countTags(card);
    if (count > 200) throw new Error(`${count} elements`);
    return { json, ...merge(elements.map(drawElement)) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

type Look = Omit<DrawnCard, "json" | "text"> & { readonly lines: readonly string[] };

const NOTHING: Look = { lines: [], buttons: [], links: [], markup: [] };

function drawElement(element: Json): Look {
  const tag = String(element["tag"]);
  check(element, tag);
  switch (tag) {
    case "plain_text":
      return { ...NOTHING, lines: [String(element["content"])] };
    case "lark_md":
    case "markdown":
      return { ...NOTHING, lines: [String(element["content"])], markup: [String(element["content"])] };
    case "div":
      return drawElement(element["text"] as Json);
    case "hr":
      return NOTHING;
    case "column_set":
      return joined((element["columns"] as Json[]).map(drawElement));
    case "column":
      return joined((element["elements"] as Json[]).map(drawElement));
    case "button":
      return drawButton(element);
    default:
      throw new Error(`the element ${tag}`);
  }
}

function drawButton(button: Json): Look {
  const { lines } = drawElement(button["text"] as Json);
  const [behaviour] = button["behaviors"] as Json[];
  if (behaviour?.["type"] === "open_url") return { ...NOTHING, lines, links: [String(behaviour["default_url"])] };
  const value = behaviour?.["value"];
  if (behaviour?.["type"] !== "callback" || typeof value !== "object") throw new Error("a button that does nothing");
  return { ...NOTHING, lines, buttons: [{ label: lines.join("\n"), value }] };
}

function joined(looks: readonly Look[]): Look {
  return {
    lines: looks.flatMap(({ lines }) => lines),
    buttons: looks.flatMap(({ buttons }) => buttons),
    links: looks.flatMap(({ links }) => links),
    markup: looks.flatMap(({ markup }) => markup),
  };
}

function merge(looks: readonly Look[]): Omit<DrawnCard, "json"> {
  const { lines, ...rest } = joined(looks);
  return { ...rest, text: lines.join("\n") };
}

function check(value: Json, kind: string): void {
  const known = PROPERTIES[kind];
  if (known === undefined || typeof value !== "object" || value === null) throw new Error(`the element ${kind}`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`the property ${unknown} of ${kind}`);
}

function countTags(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const below = Object.values(value).map(countTags);
  return below.reduce((sum, count) => sum + count, "tag" in value ? 1 : 0);
}

/** Words as the platform shows them: what it makes of markup in plain text messages, and of the runs of rich text. */
export function drawnWords(type: string, content: string): Omit<SeenMessage, "id"> {
  const parsed = JSON.parse(content) as Json;
  if (type === "text") {
    const text = String(parsed["text"]);
    const markup = text.match(/<at[^>]*>|\*\*[^*]+\*\*|<\/?[ibus]>|\[[^\]]*\]\([^)]*\)/g) ?? [];
    return { text, buttons: [], links: [], markup };
  }
  const paragraphs = (parsed["zh_cn"] as Json)["content"] as Json[][];
  const runs = paragraphs.flat();
  return {
    text: paragraphs.map((paragraph) => paragraph.map((run) => run["text"] as string).join("")).join("\n"),
    buttons: [],
    links: [],
    markup: runs
      .filter(({ tag, un_escape: escaped }) => tag !== "text" || escaped === true)
      .map((run) => JSON.stringify(run)),
  };
}
