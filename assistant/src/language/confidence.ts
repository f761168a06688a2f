/** How sure a way of saying it makes us that a task is wanted. */
const BASE_CONFIDENCE = {
  /** "create a task: X" */
  explicit: 0.95,
  /** "task: X" */
  label: 0.9,
  /** "remind: X", "remind me to X" */
  reminder: 0.85,
  /** "I need to X" */
  need: 0.75,
  /** "I gotta X", or a task that is only mentioned */
  implicit: 0.65,
} as const;

export type CreatePattern = keyof typeof BASE_CONFIDENCE;

const UNSURE_DATE = 0.8;
const SHORT_TITLE = 0.7;
const QUESTION_MARK = 0.5;
const SHORTEST_SURE_TITLE = 5;

export interface Doubts {
  readonly title: string;
  readonly dateIsUnsure: boolean;
  readonly hasQuestionMark: boolean;
}

/** Doubts multiply. Rounded to four digits, so that 0.95 × 0.8 is 0.76 and not a hair more. */
export function createConfidence(pattern: CreatePattern, { title, dateIsUnsure, hasQuestionMark }: Doubts): number {
  let confidence: number = BASE_CONFIDENCE[pattern];
  if (dateIsUnsure) confidence *= UNSURE_DATE;
  if (lengthOf(title) < SHORTEST_SURE_TITLE) confidence *= SHORT_TITLE;
  if (hasQuestionMark) confidence *= QUESTION_MARK;
  return Math.round(confidence * 10_000) / 10_000;
}

/** A Chinese character says about as much as two letters: 买牛奶 is no shorter a title than "milk it". */
function lengthOf(title: string): number {
  return [...title].reduce((length, character) => length + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0);
}
