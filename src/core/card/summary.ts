import type { Json, JsonObject } from "../json.js";
import { isList, type JsonPath, showInline, showQuoted } from "../text/inline.js";
import { previewOf } from "../text/preview.js";
import { joinShown, type Shown, shown } from "../text/shown.js";
import { type Locale, type Preview, textIn } from "../tool.js";
import { translateMarkers } from "../words/words.js";
import type { Sheet } from "./sheet.js";
import { type Piece, replacePieces, showPieces } from "./slots.js";

/** A question is a sentence; whoever needs more reads the arguments, which stand in full below it. */
const MAX_SUMMARY = 400;
const MAX_VALUE = 120;
/** What a function says that is longer is no question, and checking it would take time by the square of its length. */
const MAX_SAID = 2_000;
/** Nor is what names more than this. */
const MAX_NAMED = 50;
const SLOT = /\{([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)\}/;
/** Read as one word: needs no quotes to be told from the sentence around it. */
const ONE_WORD = /^[\p{L}\p{N}@._+:/-]+$/u;

/** Of the sheet only what is masked: no prompt sees what a person may not. */
type SummarySource = Pick<Sheet, "tool" | "args" | "hidden" | "call" | "words" | "locale" | "approval" | "show">;

/** The question a person answers, made of the tool author's words and the call's values and of nothing else. */
export function humanSummary(source: SummarySource, masks: readonly Shown[]): Shown {
  const { tool, args, locale } = source;
  const prompt = tool?.confirmPrompt;
  let said: Shown | undefined;
  if (typeof prompt === "function") said = spoken(prompt, source, masks);
  else {
    // Where a language was left out people see the general sentence.
    const template = textIn(prompt, locale);
    if (template !== undefined) said = filled(template, args, source.hidden);
  }
  return translateMarkers(previewOf(said ?? general(source), MAX_SUMMARY).text, locale);
}

/** "Delete an event?" where the tool has a title, "Run calendar.delete?" where it has only its name. */
function general({ tool, approval, show, words, locale }: SummarySource): Shown {
  const title = textIn(tool?.title, locale);
  if (title === undefined) return words.run(show(approval.tool));
  return /[?？]$/.test(title) ? show(title) : words.act(show(title));
}

/** `{to}` and `{card.number}` become the arguments' values; a name the call does not have stays visible as it is. */
function filled(template: string, args: JsonObject, hidden: (path: JsonPath) => boolean): Shown {
  const pieces = template.split(SLOT).map((part, index): Piece => {
    if (index % 2 === 0) return part;
    const path = part.split(".");
    const value = path.reduce<Json | undefined>(memberOf, args);
    if (value === undefined) return `{${part}}`;
    return { safe: hidden(path) ? (value as Shown) : namedValue(value) };
  });
  return showPieces(pieces);
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
  return (value as JsonObject)[key];
}

/** A list of plain values reads as a list. Whatever holds a comma or a blank is quoted, so that no item can pass for two. */
function namedValue(value: Json): Shown {
  if (isList(value) && value.length > 0 && value.every(isPlain)) return namedList(value);
  const named = typeof value === "string" && !ONE_WORD.test(value) ? showQuoted(value) : showInline(value);
  return previewOf(named, MAX_VALUE).text;
}

/** As many whole items as fit; the others are counted. */
function namedList(items: readonly Json[]): Shown {
  const named: Shown[] = [];
  let length = 0;
  for (const item of items) {
    const next = namedValue(item);
    length += next.length + 2;
    if (named.length > 0 && length > MAX_VALUE) break;
    named.push(next);
  }
  const rest = items.length - named.length;
  const list = joinShown(named, ", ");
  return rest === 0 ? list : shown`${list} ⟨+ ${rest} more⟩`;
}

function isPlain(value: Json): boolean {
  return value === null || typeof value !== "object";
}

/** What a function says counts only if it is a text, and every value it names occurs in the call. */
function spoken(
  prompt: (args: never, locale: Locale) => string,
  { args, call, locale }: SummarySource,
  masks: readonly Shown[],
): Shown | undefined {
  try {
    const said: unknown = prompt(args as never, locale);
    if (typeof said !== "string" || said === "" || said.length > MAX_SAID) return undefined;
    if (!namesOnlyFacts(said, args, call.preview)) return undefined;
    return showPieces(replacePieces(said, new Map(masks.map((mask) => [mask, mask]))));
  } catch {
    return undefined;
  }
}

const NAMED =
  /"([^"]+)"|“([^”]+)”|「([^」]+)」|([^\s"“”「」,;，。、；]+@[^\s"“”「」,;，。、；？！]+)|(https?:\/\/[^\s"“”「」]+)/g;
const NUMBERS = /\d+(?:[.,]\d+)*/g;

/** Numbers may also be how many there are of something: the length of a list, the count of an effect. */
function namesOnlyFacts(said: string, args: JsonObject, preview: Preview | undefined): boolean {
  const facts = factsOf(args);
  const counts = new Set([...facts.numbers, ...(preview?.effects ?? []).map((effect) => String(effect.count))]);
  const named = [...said.matchAll(NAMED)].map((match) => match.slice(1).find((group) => group !== undefined) ?? "");
  return (
    named.length <= MAX_NAMED &&
    named.every((value) => facts.texts.some((text) => text.includes(value.replace(/[?？.。!！]+$/, "")))) &&
    (said.match(NUMBERS) ?? []).every((number) => counts.has(number) || counts.has(number.replaceAll(",", "")))
  );
}

function factsOf(value: Json): { readonly texts: readonly string[]; readonly numbers: readonly string[] } {
  if (typeof value === "string") return { texts: [value], numbers: value.match(NUMBERS) ?? [] };
  if (value === null || typeof value !== "object") {
    return { texts: [JSON.stringify(value)], numbers: [JSON.stringify(value)] };
  }
  const inside = Object.entries(value).map(([key, item]) => ({ key, facts: factsOf(item) }));
  return {
    texts: inside.flatMap(({ key, facts }) => [key, ...facts.texts]),
    numbers: [String(inside.length), ...inside.flatMap(({ facts }) => facts.numbers)],
  };
}
