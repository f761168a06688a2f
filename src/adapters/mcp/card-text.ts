import type { Card } from "../../core/card/card.js";
import { changeLine, linesOf, nameOf } from "../../core/card/lines.js";
import { leavesOf } from "../../core/card/values.js";
import { joinShown, type Shown, shown } from "../../core/text/shown.js";
import type { ShownValue } from "../../core/text/value.js";
import { type Words, wordsIn } from "../../core/words/words.js";

/** The whole card as lines, for a dialog in which somebody may say yes to it. Nothing on it comes from elsewhere than the card. */
export function cardText(card: Card): Shown {
  const words = wordsIn(card.locale);
  const sections: readonly (readonly [title: Shown, lines: readonly Shown[]])[] = [
    [words.effects, happening(card, words)],
    [words.arguments(card.size.values, shown`${card.size.bytes}`), argumentLines(card, words)],
    [
      card.diffAgainst === "edit" ? words.changedByPerson : words.changedSincePlan,
      (card.diff ?? []).map((change) => changeLine(change, words)),
    ],
    [words.why, card.reasons.flatMap(({ text, fragment }) => (fragment === undefined ? [text] : [text, fragment]))],
    [words.undo, card.rollbackNote === undefined ? [] : [card.rollbackNote]],
    [words.alternatives, alternatives(card, words)],
    [words.agentSays, card.agentSays === undefined ? [] : [card.agentSays]],
  ];
  const below = sections.filter(([, lines]) => lines.length > 0).flatMap(([title, lines]) => [title, ...lines]);
  return joinShown([...opening(card, words), ...below], "\n");
}

function opening({ risk, riskTier, code, humanSummary, asks, requester, tool, app }: Card, words: Words): Shown[] {
  const { lineage } = requester;
  return [
    shown`${humanSummary} (${code})`,
    shown`${risk.shape} ${risk.word} (${riskTier as Shown}) · ${tool} (${app})`,
    lineage.length === 0 ? asks : shown`${asks} · ${words.through(joinShown(lineage, " › "))}`,
  ];
}

function happening({ effects, warnings, targets, previewDiff = [] }: Card, words: Words): Shown[] {
  return [
    ...effects.flatMap(({ text, samples }) => [text, ...samples.map(indented)]),
    ...warnings.map(({ text }) => shown`! ${text}`),
    ...(targets.length === 0 ? [] : [words.targets, ...targets.map(indented)]),
    ...(previewDiff.length === 0
      ? []
      : [words.changedSinceShown, ...previewDiff.map((change) => indented(changeLine(change, words)))]),
  ];
}

function argumentLines(card: Card, words: Words): readonly Shown[] {
  const lines = card.arguments.flatMap(({ value }) => valueLines(value, words));
  return lines.length === 0 ? [words.noArguments] : lines;
}

/** A mark before each further line: a text with line breaks cannot pass for another argument. */
function valueLines(value: ShownValue, words: Words): readonly Shown[] {
  return leavesOf(value).flatMap((leaf) => {
    const [first, ...rest] = linesOf(leaf, words);
    const notices = leaf.notices.map(({ text }) => shown`  ! ${text}`);
    return [shown`${nameOf(leaf)}: ${first ?? shown``}`, ...rest.map((line) => shown`  | ${line}`), ...notices];
  });
}

function alternatives({ suggestedAlternatives = [] }: Card, words: Words): readonly Shown[] {
  return suggestedAlternatives.flatMap(({ tool, args }) => [tool, ...valueLines(args, words).map(indented)]);
}

function indented(line: Shown): Shown {
  return shown`  ${line}`;
}
