import type { Card } from "../core/card/card.js";
import { changeLine, linesOf, nameOf } from "../core/card/lines.js";
import { leavesOf } from "../core/card/values.js";
import type { RiskTier } from "../core/risk.js";
import { cellWidth } from "../core/text/cells.js";
import { grouped } from "../core/text/preview.js";
import { joinShown, type Shown, shown } from "../core/text/shown.js";
import type { Style } from "../core/text/terminal.js";
import type { ShownValue } from "../core/text/value.js";
import { type Words, wordsIn } from "../core/words/words.js";
import { localTime } from "./local-time.js";
import { Page, type PageOptions } from "./page.js";

export interface RenderOptions extends PageOptions {
  /** Adds the canonical call as JSON. */
  readonly details?: boolean;
  /** Whose clock times are told by, such as `Europe/Paris`; this process's own if left out. */
  readonly timeZone?: string;
}

const TIER_STYLES: Readonly<Record<RiskTier, Style>> = {
  R0: "accent",
  R1: "accent",
  R2: "accent",
  R3: "amber",
  R4: "vermilion",
};
/** Names up to this width share a column with their values. */
const WIDEST_NAME = 22;

/**
 * The whole card as lines of text, in the card's own language: the same on a terminal, in a pipe and in a file. Who asks, the
 * question, what it would do, the exact arguments, why it asks; the agent's own words come last.
 */
export function renderCardText(card: Card, options: RenderOptions): string {
  const page = new Page(options);
  const words = wordsIn(card.locale);
  opening(page, card, words, options.timeZone);
  happening(page, card, words);
  argumentLines(page, card, words);
  if (card.diff !== undefined) {
    page.heading(card.diffAgainst === "edit" ? words.changedByPerson : words.changedSincePlan);
    page.block(card.diff.map((change) => changeLine(change, words)));
  }
  page.heading(words.why);
  for (const { text, fragment } of card.reasons) {
    page.item("-", text);
    if (fragment !== undefined && !text.includes(fragment)) page.block([fragment]);
  }
  remarks(page, card, words);
  page.heading(words.exactCall);
  page.text(card.toolCallHash, "muted", 2);
  if (options.details) page.block([card.toolCallCanonical]);
  if (card.agentSays !== undefined) {
    page.heading(words.agentSays);
    page.block([card.agentSays], "muted");
  }
  page.rule();
  return page.toString();
}

function opening(page: Page, card: Card, words: Words, timeZone: string | undefined): void {
  const { risk, riskTier, requester } = card;
  page.rule();
  page.text(shown`${risk.shape} ${risk.word} (${riskTier as Shown}) · ${card.code}`, TIER_STYLES[riskTier]);
  page.text(shown`${card.asks} · ${words.until(localTime(card.expiresAt, timeZone))}`);
  if (requester.lineage.length > 0) page.text(words.through(joinShown(requester.lineage, " › ")), "muted");
  if (card.quorum > 1) page.text(words.quorum(card.votes.length, card.quorum, joinShown(card.votes, ", ")), "muted");
  page.blank();
  page.text(card.humanSummary, "bold");
  const name = card.app === card.tool ? card.tool : shown`${card.tool} (${card.app})`;
  page.text(card.title === undefined ? name : shown`${card.title} · ${name}`, "muted");
}

function happening(page: Page, card: Card, words: Words): void {
  if (card.effects.length + card.targets.length + card.warnings.length === 0) return;
  page.heading(words.effects);
  for (const { text, samples } of card.effects) {
    page.text(text, "bold", 2);
    page.block(samples);
  }
  for (const { text } of card.warnings) page.item("!", text, "amber");
  if (card.targets.length > 0) {
    page.text(words.targets, "muted", 2);
    page.block(card.targets);
  }
  if (card.previewDiff !== undefined && card.previewDiff.length > 0) {
    page.text(words.changedSinceShown, "amber", 2);
    page.block(card.previewDiff.map((change) => changeLine(change, words)));
  }
}

function argumentLines(page: Page, card: Card, words: Words): void {
  const { values, bytes } = card.size;
  page.heading(words.arguments(values, grouped(bytes) as Shown));
  if (card.arguments.length === 0) page.text(words.noArguments, "muted", 2);
  valueLines(
    page,
    card.arguments.map(({ value }) => value),
    words,
  );
}

function valueLines(page: Page, values: readonly ShownValue[], words: Words): void {
  const named = values.flatMap(leavesOf).map((leaf) => ({ leaf, name: nameOf(leaf) }));
  const column = Math.max(0, ...named.map(({ name }) => cellWidth(name)).filter((width) => width <= WIDEST_NAME));
  for (const { leaf, name } of named) {
    page.value(name, linesOf(leaf, words), column);
    for (const notice of leaf.notices) page.item("!", notice.text, "amber", 4);
  }
}

function remarks(page: Page, card: Card, words: Words): void {
  if (card.rollbackNote !== undefined) {
    page.heading(words.undo);
    page.text(card.rollbackNote, undefined, 2);
  }
  if (card.suggestedAlternatives !== undefined && card.suggestedAlternatives.length > 0) {
    page.heading(words.alternatives);
    for (const { tool, args } of card.suggestedAlternatives) {
      page.text(tool, undefined, 2);
      valueLines(page, [args], words);
    }
  }
}
