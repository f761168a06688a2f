import type { Approval } from "../approval.js";
import type { JsonObject } from "../json.js";
import { isSensitive, type Mask, maskArgs, SHORTEST_SECRET, secretTexts, textsOf } from "../mask.js";
import { argsOf, type CallRecord } from "../record.js";
import { escapeText } from "../text/escape.js";
import { Finder } from "../text/finder.js";
import { type JsonPath, showName } from "../text/inline.js";
import type { Shown } from "../text/shown.js";
import type { AnyTool, Locale } from "../tool.js";
import { translateMarkers, type Words, wordsIn } from "../words/words.js";
import { coverPlaces, replacePieces, SLOT, showPieces } from "./slots.js";

/** What a card is made of. */
export interface CardSource {
  readonly approval: Approval;
  readonly call: CallRecord;
  readonly tool: AnyTool | undefined;
  /** The call whose plan this one changes. */
  readonly superseded?: CallRecord | undefined;
  /** What persons and agents are called, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** Finds the tools that alternatives name. */
  readonly find: (name: string) => AnyTool | undefined;
}

/** One call laid out for one reader: its arguments with masks in place, and the only two ways in which text gets on the card. */
export interface Sheet extends CardSource {
  readonly locale: Locale;
  readonly words: Words;
  readonly mask: Mask;
  readonly patterns: readonly string[];
  readonly real: JsonObject;
  readonly args: JsonObject;
  readonly hidden: (path: JsonPath) => boolean;
  /** Names and ids. */
  readonly show: (text: string) => Shown;
  /** What the bearer of an id is called, or the id. */
  readonly called: (id: string) => Shown;
  /** Words about the call, in which a sensitive value may have been quoted. */
  readonly say: (text: string, fragment?: string) => Shown;
}

export function patternsOf({ call, tool }: CardSource): readonly string[] {
  return [...new Set([...(call.sensitive ?? []), ...(tool?.sensitive ?? [])])];
}

export function layOut(source: CardSource, locale: Locale, mask: Mask): Sheet {
  const patterns = patternsOf(source);
  const real = argsOf(source.call);
  const args = maskArgs(real, patterns, mask);
  const secrets = secretsOf(source, args, patterns);
  const beginnings = new Set(secrets.map((secret) => secret.slice(0, SHORTEST_SECRET)));
  let finder: Finder | undefined;
  const show = (text: string) => translateMarkers(escapeText(text), locale);
  return {
    approval: source.approval,
    call: source.call,
    tool: source.tool,
    superseded: source.superseded,
    names: source.names,
    find: source.find,
    locale,
    words: wordsIn(locale),
    mask,
    patterns,
    real,
    args,
    hidden: (path) => isSensitive(patterns, path),
    show,
    called: (id) => {
      const name = source.names.get(id);
      return name === undefined ? show(id) : translateMarkers(showName(name), locale);
    },
    say: (text, fragment) => {
      const isPart = fragment !== undefined && secrets.some((secret) => secret.includes(fragment));
      if (!isPart && !holdsAny(beginnings, text)) return show(text);
      finder ??= new Finder(secrets);
      const covered = coverPlaces(text, finder.places(text), mask);
      if (!isPart) return translateMarkers(showPieces(covered), locale);
      const part = new Map([[fragment, mask(fragment)]]);
      const said = covered.flatMap((piece) => (typeof piece === "string" ? replacePieces(piece, part) : [piece]));
      return translateMarkers(showPieces(said), locale);
    },
  };
}

/**
 * Texts to be kept out of words about the call, of its earlier forms too. One that also stands in an argument that is shown
 * is not among them: it is no secret, and an agent could otherwise choose a "password" to blot out what it is asked about.
 */
function secretsOf(
  { call, superseded }: CardSource,
  masked: JsonObject,
  patterns: readonly string[],
): readonly string[] {
  if (patterns.length === 0) return [];
  const forms = [argsOf(call), call.proposed, superseded && argsOf(superseded)].filter((args) => args !== undefined);
  const secrets = new Set(forms.flatMap((args) => [...secretTexts(args, patterns)]));
  // One text to look through. What parts them is random, so that no secret reaches from one into the next.
  const open = textsOf(masked).join(SLOT);
  return [...secrets].filter((secret) => !open.includes(secret));
}

/** Whether one of these beginnings stands in a text: most texts hold no secret, and then nothing has to be made to look for them. */
function holdsAny(beginnings: ReadonlySet<string>, text: string): boolean {
  if (beginnings.size === 0) return false;
  for (let at = 0; at + SHORTEST_SECRET <= text.length; at++)
    if (beginnings.has(text.slice(at, at + SHORTEST_SECRET))) return true;
  return false;
}
