import type { Locale } from "countersign";
import { en } from "./en.js";
import { zh } from "./zh.js";

/** Every sentence the assistant says, in one language. A language that lacks one does not compile. */
export interface Words {
  readonly help: string;
  readonly howToConfirm: string;
  readonly whichTitle: string;
  readonly whichTask: (titles: readonly string[]) => string;
  readonly noSuchTask: (words: string) => string;
  readonly whoIsThat: (name: string, known: readonly string[]) => string;
  readonly nothingToDelete: string;
  readonly when: string;
  readonly toWhom: string;
  readonly noSuch: (noun: Noun, name: string) => string;
  readonly questionAboutTasks: string;
  readonly noAnswer: string;
  readonly refused: string;
  readonly refusedBoth: string;
  readonly nothingWaits: string;
  readonly cancelled: (descriptions: readonly string[]) => string;
  readonly waiting: (descriptions: readonly string[]) => string;
  readonly notPlainYes: string;
  /** For a chat account that stands for nobody. */
  readonly notConnected: string;
  readonly changedSince: string;
  readonly expired: (description: string) => string;
  readonly denied: (description: string, reason: string) => string;
  readonly withdrawn: (description: string) => string;
  readonly failed: (tool: string, why: string) => string;
  readonly unknown: (tool: string) => string;
  readonly stillWaits: string;
  readonly needsMoreProof: string;
  readonly needsOthers: string;
  readonly tooManyPending: string;
  readonly notUnderstoodArgs: string;
  readonly wentWrong: string;
  readonly done: Readonly<Record<string, (done: Done) => string>>;
  readonly doneOtherwise: (tool: string) => string;
}

type Noun = "list" | "note" | "folder" | "event";

/** What a tool was given and what it gave. */
interface Done {
  // oxlint-disable-next-line typescript/no-explicit-any -- each tool has its own; a sentence that finds nothing says less
  readonly args: any;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly result: any;
  /** A time as its reader says it. */
  readonly when: (time: string) => string;
}

const WORDS: Readonly<Record<Locale, Words>> = { en, zh };

export function wordsIn(locale: Locale): Words {
  return WORDS[locale];
}
