import type { Card } from "../core/card/card.js";
import { changeLine, linesOf, nameOf } from "../core/card/lines.js";
import { leavesOf } from "../core/card/values.js";
import type { RiskTier } from "../core/risk.js";
import { joinShown, type Shown, shown } from "../core/text/shown.js";
import type { ShownValue } from "../core/text/value.js";
import type { Locale } from "../core/tool.js";
import { type Words, wordsIn } from "../core/words/words.js";

/** A heading with lines under it. Lines are plain text: whoever draws them keeps them so. */
export interface FaceSection {
  readonly title: Shown;
  readonly lines: readonly Shown[];
  /** The exact arguments are drawn letter by letter, in a fixed width where the platform has one. */
  readonly exact?: boolean;
}

export type FaceButton =
  | {
      readonly kind: "approve" | "deny";
      readonly label: Shown;
      /** What a click brings back: ASCII, at most 43 bytes, a random reference that says nothing by itself. */
      readonly value: string;
      /** The answer in words that does the same, for platforms whose buttons can only make people say something. */
      readonly says: string;
    }
  | { readonly kind: "open"; readonly label: Shown; readonly url: string };

/** What a chat shows of an approval: the card's own words in the card's order. Platforms draw it and add nothing. */
export interface CardFace {
  readonly locale: Locale;
  readonly riskTier: RiskTier;
  /** Shape, risk in words, short code. */
  readonly heading: Shown;
  /** The question in one sentence. */
  readonly question: Shown;
  /** Who asks, until when, which tool. */
  readonly facts: readonly Shown[];
  readonly sections: readonly FaceSection[];
  /** How it ended, where it has; how to answer, where it has not. Shown last, above the buttons. */
  readonly closing: readonly Shown[];
  readonly buttons: readonly FaceButton[];
}

export interface FaceParts {
  readonly closing: readonly Shown[];
  readonly buttons: readonly FaceButton[];
}

/** The whole card. */
export function faceOf(card: Card, parts: FaceParts): CardFace {
  const words = wordsIn(card.locale);
  return {
    ...opening(card, words),
    sections: [
      ...happening(card, words),
      argumentSection(card, words),
      ...changes(card, words),
      {
        title: words.why,
        lines: card.reasons.flatMap(({ text, fragment }) =>
          fragment === undefined || text.includes(fragment) ? [text] : [text, fragment],
        ),
      },
      ...remarks(card, words),
      ...(card.agentSays === undefined ? [] : [{ title: words.agentSays, lines: [card.agentSays] }]),
    ],
    ...parts,
  };
}

/** The beginning of it, for what does not fit: who asks and what for. Nobody says yes to that. */
export function shortFaceOf(card: Card, parts: FaceParts): CardFace {
  return { ...opening(card, wordsIn(card.locale)), sections: [], ...parts };
}

function opening(card: Card, words: Words): Pick<CardFace, "locale" | "riskTier" | "heading" | "question" | "facts"> {
  const { risk, riskTier, requester } = card;
  const name = card.app === card.tool ? card.tool : shown`${card.tool} (${card.app})`;
  const until = words.until(shown`${card.expiresAt.slice(0, 16).replace("T", " ") as Shown} UTC`);
  return {
    locale: card.locale,
    riskTier,
    heading: shown`${risk.shape} ${risk.word} (${riskTier as Shown}) · ${card.code}`,
    question: card.humanSummary,
    facts: [
      shown`${card.asks} · ${until}`,
      ...(requester.lineage.length === 0 ? [] : [words.through(joinShown(requester.lineage, " › "))]),
      ...(card.quorum > 1 ? [words.quorum(card.votes.length, card.quorum, joinShown(card.votes, ", "))] : []),
      card.title === undefined ? name : shown`${card.title} · ${name}`,
    ],
  };
}

function happening(card: Card, words: Words): readonly FaceSection[] {
  const lines = [
    ...card.effects.flatMap(({ text, samples }) => [text, ...samples.map((sample) => shown`  ${sample}`)]),
    ...card.warnings.map(({ text }) => shown`! ${text}`),
    ...(card.targets.length === 0 ? [] : [words.targets, ...card.targets.map((target) => shown`  ${target}`)]),
    ...(card.previewDiff === undefined || card.previewDiff.length === 0
      ? []
      : [words.changedSinceShown, ...card.previewDiff.map((change) => shown`  ${changeLine(change, words)}`)]),
  ];
  return lines.length === 0 ? [] : [{ title: words.effects, lines }];
}

function argumentSection(card: Card, words: Words): FaceSection {
  const { values, bytes } = card.size;
  const lines = valueLines(
    card.arguments.map(({ value }) => value),
    words,
  );
  return {
    title: words.arguments(values, shown`${bytes}`),
    lines: lines.length === 0 ? [words.noArguments] : lines,
    exact: true,
  };
}

function valueLines(values: readonly ShownValue[], words: Words): readonly Shown[] {
  return values.flatMap(leavesOf).flatMap((leaf) => {
    const lines = linesOf(leaf, words);
    const notices = leaf.notices.map(({ text }) => shown`  ! ${text}`);
    if (lines.length === 1) return [shown`${nameOf(leaf)}: ${lines[0] ?? shown``}`, ...notices];
    // A mark before each line: a text with line breaks cannot pass for further arguments.
    return [shown`${nameOf(leaf)}:`, ...lines.map((line) => shown`  | ${line}`), ...notices];
  });
}

function changes(card: Card, words: Words): readonly FaceSection[] {
  if (card.diff === undefined) return [];
  const title = card.diffAgainst === "edit" ? words.changedByPerson : words.changedSincePlan;
  return [{ title, lines: card.diff.map((change) => changeLine(change, words)) }];
}

function remarks(card: Card, words: Words): readonly FaceSection[] {
  const alternatives = card.suggestedAlternatives ?? [];
  return [
    ...(card.rollbackNote === undefined ? [] : [{ title: words.undo, lines: [card.rollbackNote] }]),
    ...(alternatives.length === 0
      ? []
      : [
          {
            title: words.alternatives,
            lines: alternatives.flatMap(({ tool, args }) => [tool, ...valueLines([args], words)]),
          },
        ]),
  ];
}

/** The face as lines of plain text, for platforms and messages without a card. */
export function faceLines(face: CardFace): readonly Shown[] {
  return [
    face.heading,
    face.question,
    ...face.facts,
    ...face.sections.flatMap(({ title, lines }) => [shown``, title, ...lines]),
    ...(face.closing.length === 0 ? [] : [shown``, ...face.closing]),
  ];
}
