import type { RiskTier } from "../risk.js";
import type { TextNotice } from "../text/inspect.js";
import type { Shown } from "../text/shown.js";
import type { Locale } from "../tool.js";
import { en } from "./en.js";
import { zh } from "./zh.js";

/** A finding's own English sentence, and what a sentence in another language is made from. */
export interface ReasonFacts {
  readonly code: string;
  readonly riskTier: RiskTier;
  readonly text: Shown;
  readonly fragment?: Shown | undefined;
  /** How sure the agent is, in percent. */
  readonly sure?: number | undefined;
}

/**
 * Every sentence that people read, in one language. A language that lacks one does not compile; a value can only enter
 * after it was made safe, because nothing else is `Shown`.
 */
export interface Words {
  // the card
  readonly asks: (agent: Shown, person: Shown) => Shown;
  readonly through: (agents: Shown) => Shown;
  readonly until: (time: Shown) => Shown;
  /** The question where the tool has none of its own: its title says what it does already, its name is only run. */
  readonly act: (title: Shown) => Shown;
  readonly run: (tool: Shown) => Shown;
  readonly risk: Readonly<Record<RiskTier, Shown>>;
  readonly effect: (kind: Shown, count: Shown, one: boolean, noun: Shown) => Shown;
  readonly samples: (count: number) => Shown;
  readonly beforeAfter: (before: Shown, after: Shown) => Shown;
  readonly reason: (facts: ReasonFacts) => Shown;
  readonly notice: (notice: TextNotice) => Shown;
  readonly marker: (marker: string) => string;
  // headings
  readonly arguments: (values: number, bytes: Shown) => Shown;
  readonly effects: Shown;
  readonly targets: Shown;
  readonly why: Shown;
  readonly undo: Shown;
  readonly changedByPerson: Shown;
  readonly changedSincePlan: Shown;
  readonly changedSinceShown: Shown;
  readonly alternatives: Shown;
  readonly exactCall: Shown;
  readonly agentSays: Shown;
  readonly quorum: (votes: number, needed: number, who: Shown) => Shown;
  readonly noArguments: Shown;
  readonly emptyList: Shown;
  readonly emptyObject: Shown;
  readonly added: Shown;
  readonly removed: Shown;
  readonly wholeValue: Shown;
  // answering in a terminal
  readonly askYes: Shown;
  readonly askFullYes: Shown;
  readonly askCode: (code: Shown) => Shown;
  readonly askCountOrCode: (count: number, code: Shown) => Shown;
  readonly noTerminal: Shown;
  readonly noAnswer: Shown;
  readonly approved: Shown;
  readonly denied: Shown;
  readonly cancelled: Shown;
  /** What counts as a yes below R3, in lower case. The whole answer has to be one of them. */
  readonly yes: readonly string[];
  /** What counts from R3 on: nothing that a single key could say. */
  readonly fullYes: readonly string[];
}

const CATALOGUE: Readonly<Record<Locale, Words>> = { en, zh };

/** Locales the catalogue has, in the order in which they are tried. */
export const LOCALES: readonly Locale[] = ["en", "zh"];

export function wordsIn(locale: Locale): Words {
  return CATALOGUE[locale];
}

/** Only the sanitiser writes `⟨…⟩`, so what stands in them is ours to translate. */
export function translateMarkers(text: Shown, locale: Locale): Shown {
  return locale === "en" || !text.includes("⟨")
    ? text
    : (text.replace(/⟨([^⟨⟩]*)⟩/g, (_, marker: string) => `⟨${CATALOGUE[locale].marker(marker)}⟩`) as Shown);
}

/** Shapes carry the tier where colour cannot. */
export const RISK_SHAPES: Readonly<Record<RiskTier, string>> = { R0: "○", R1: "◔", R2: "◑", R3: "◆", R4: "⬣" };
