import type { Signal } from "../classify.js";
import type { Json } from "../json.js";
import { type Change, diffJson } from "../text/diff.js";
import { type JsonPath, type ShowOptions, showInline, showPath } from "../text/inline.js";
import { grouped } from "../text/preview.js";
import type { Shown } from "../text/shown.js";
import { type Locale, type PredictedEffect, type Preview, textIn } from "../tool.js";
import { translateMarkers } from "../words/words.js";
import type { Card, CardChange, CardEffect, CardReason } from "./card.js";
import type { Sheet } from "./sheet.js";

/** How words about the call are made safe, in which language. */
type Voice = Pick<Sheet, "locale" | "words" | "say">;

export function showReasons(reasons: readonly Signal[], confidence: number | undefined, voice: Voice): CardReason[] {
  return reasons.map(({ source, code, riskTier, text, fragment }) => {
    const part = fragment === undefined ? undefined : voice.say(fragment, fragment);
    const sure = confidence === undefined ? undefined : Math.round(confidence * 100);
    const sentence = voice.words.reason({ code, riskTier, text: voice.say(text, fragment), fragment: part, sure });
    return { source, code: voice.say(code), riskTier, text: sentence, fragment: part };
  });
}

/** A preview comes from the tool: its parts are looked at one by one, and what has no known form is left out of the counts. */
export function showPreview(
  preview: Preview | undefined,
  voice: Voice,
): Pick<Card, "effects" | "targets" | "warnings"> {
  return {
    effects: listOf(preview?.effects).map((effect) => showEffect(effect, voice)),
    targets: listOf(preview?.targets).map((target) => voice.say(String(target))),
    warnings: listOf(preview?.warnings).map(({ severity, message }) => ({
      severity: severity === "info" || severity === "warning" ? severity : "caution",
      text: voice.say(String(message)),
    })),
  };
}

function listOf<Item>(value: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(value) ? value.filter((item) => item !== null && item !== undefined) : [];
}

function showEffect(effect: PredictedEffect, { words, say, locale }: Voice): CardEffect {
  const { count } = effect;
  const noun = say(textIn(effect.noun, locale) ?? "");
  const kind = say(String(effect.kind));
  const samples = listOf(effect.sample).map((sample) => inline(sample, { say, locale }));
  const counted = words.effect(kind, figure(count), count === 1, noun);
  const parts = [counted];
  // Where all of them stand below, saying how many do would be noise.
  if (samples.length > 0 && samples.length !== count) parts.push(words.samples(samples.length));
  if (effect.before !== undefined || effect.after !== undefined) {
    parts.push(
      words.beforeAfter(inline(effect.before ?? null, { say, locale }), inline(effect.after ?? null, { say, locale })),
    );
  }
  return { kind, count, text: parts.join(" · ") as Shown, samples };
}

function inline(value: Json, { say, locale }: Pick<Voice, "say" | "locale">): Shown {
  return translateMarkers(showInline(value, { text: say }), locale);
}

/** `1,234.5`: the same everywhere. */
function figure(count: number): Shown {
  const [whole = "", fraction] = String(count).split(".");
  const digits = /^\d+$/.test(whole) ? grouped(Number(whole)) : whole;
  return (fraction === undefined ? digits : `${digits}.${fraction}`) as Shown;
}

/** What the world did to the plan while it waited. */
export function showPreviewDiff(
  before: Preview | undefined,
  now: Preview | undefined,
  { say, locale }: Pick<Voice, "say" | "locale">,
): Card["previewDiff"] {
  if (before === undefined || now === undefined) return undefined;
  const told = ({ effects, targets = [], warnings = [] }: Preview) =>
    ({ effects, targets, warnings }) as unknown as Json;
  return showDiff(told(before), told(now), { text: say }, locale);
}

/** Both sides with masks in place, so that a changed secret shows as changed and as nothing more. */
export function showDiff(
  before: Json,
  after: Json,
  { titleOf, ...options }: ShowOptions & { readonly titleOf?: (path: JsonPath) => Shown | undefined },
  locale: Locale,
): readonly CardChange[] {
  return diffJson(before, after).map((change) => {
    const { type, path } = change;
    const side = (value: Json) => translateMarkers(showInline(value, options, path), locale);
    const title = titleOf && nearest(path, titleOf);
    return { type, label: showPath(path), ...(title === undefined ? {} : { title }), ...sidesOf(change, side) };
  });
}

/** An item of a list has seldom a name of its own: the list's is what people know it by. */
function nearest(path: JsonPath, titleOf: (path: JsonPath) => Shown | undefined): Shown | undefined {
  if (path.length === 0) return undefined;
  return titleOf(path) ?? nearest(path.slice(0, -1), titleOf);
}

function sidesOf(change: Change, show: (value: Json) => Shown): Pick<CardChange, "before" | "after"> {
  switch (change.type) {
    case "add":
      return { after: show(change.after) };
    case "remove":
      return { before: show(change.before) };
    case "replace":
      return { before: show(change.before), after: show(change.after) };
    default:
      return change satisfies never;
  }
}
