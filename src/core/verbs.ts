import type { RiskTier } from "./risk.js";
import {
  ALSO_NOUNS,
  ATTRIBUTED_NOUNS,
  CHANGING_VERBS,
  CONJUNCTIONS,
  DESTROYING_VERBS,
  LEADING_NOUNS,
  LISTING_VERBS,
  LOOKING_VERBS,
  PARTICIPLES,
  PARTICLES,
  PREPOSITIONS,
  REACHING_VERBS,
  READABLE_NOUNS,
  THINGS,
} from "./verb-words.js";

/** What a tool's name lets one suppose when the tool declares nothing. Callers treat `unknown` as a write. */
export interface VerbReading {
  readonly effect: "read" | "write" | "unknown";
  /** Absent where the verb alone says nothing about the danger. */
  readonly riskTier?: RiskTier;
  /** The word that decided. */
  readonly verb?: string;
  readonly destructive: boolean;
}

/** Longer names, and names with other characters (homoglyphs among them), are not read at all. */
const READABLE_NAME = /^[A-Za-z0-9_.:/-]{1,200}$/;
const UNKNOWN: VerbReading = { effect: "unknown", destructive: false };

/**
 * Reads names of any style: `app.verb`, `deleteFile`, `mcp__fs__write_file`, `todo-delete-batch`. The app or MCP server in
 * front is a noun unless it stands alone. The first verb decides; a writing verb after it still counts when it cannot be
 * a noun there. Participles (`created`, `sent`) and plurals (`posts`) are never verbs. In doubt a name is unknown, not a read.
 */
export function readVerb(toolName: string): VerbReading {
  if (!READABLE_NAME.test(toolName)) return UNKNOWN;
  const parts = toolName
    .split(/[.:/]|__+/)
    .map(wordsOf)
    .filter((words) => words.length > 0);
  if (parts.length > 1 && toolName.startsWith("mcp__")) parts.shift();
  const app = parts.length > 1 ? parts.shift() : undefined;
  const last = parts.pop();
  if (!last) return UNKNOWN;
  // parts between app and verb are nouns (`drive.files.get`), unless one of them can only be a writing verb
  const between = parts.flat().filter((word) => isWritingVerb(word) && !ALSO_NOUNS.has(word));
  const writing = [...between, ...writingVerbs(last)];
  if (writing.length > 0) return writeBy(writing);
  const reading = readingVerb(last, new Set(app));
  return reading === undefined ? UNKNOWN : { effect: "read", verb: reading, destructive: false };
}

function wordsOf(part: string): string[] {
  return part
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/[0-9]+$/, ""))
    .filter((word) => word !== "");
}

function writingVerbs(words: readonly string[]): string[] {
  const head = words.findIndex((word) => isWritingVerb(word) || isReadingVerb(word));
  const joined = words.findIndex((word, index) => index > head && CONJUNCTIONS.has(word));
  return words.filter((word, index) => {
    if (!isWritingVerb(word)) return false;
    // a conjunction makes everything after it a verb again: `get_and_share`
    if (index === head || (joined !== -1 && index > joined)) return true;
    return !isNounAfter(words[head] ?? "", word, words[index + 1] ?? "");
  });
}

/** Whether a word that can be a writing verb is a noun behind this head. The less sure the head is a verb, the less so. */
function isNounAfter(head: string, word: string, next: string): boolean {
  if (LOOKING_VERBS.has(head)) return ALSO_NOUNS.has(word) || ATTRIBUTED_NOUNS.has(next);
  if (LISTING_VERBS.has(head)) return THINGS.has(word);
  return !ALSO_NOUNS.has(head) && ALSO_NOUNS.has(word);
}

/** The reading verb of words that hold no writing one; undefined when a word nobody knows may be the true verb. */
function readingVerb(words: readonly string[], app: ReadonlySet<string>): string | undefined {
  const head = words.findIndex(isReadingVerb);
  const verb = words[head];
  if (verb === undefined) return selection(words) ?? readableNoun(words, app);
  const before = words.slice(0, head);
  if (!LOOKING_VERBS.has(verb) && !areNouns(before, app)) return undefined;
  // in `frobnicate_and_get` and `get_and_frobnicate` the unknown word is a verb too
  if (before.some((word) => CONJUNCTIONS.has(word))) return undefined;
  const [next = "", second = ""] = words.slice(head + 1);
  if (CONJUNCTIONS.has(next) && !isReadingVerb(second)) return undefined;
  // to check in, out or off is to change something
  return verb === "check" && PARTICLES.has(next) ? undefined : verb;
}

/** `createdBy`, `sharedWith`, `sent_before`: a participle and a preposition pick out things, and do nothing to them. */
function selection(words: readonly string[]): string | undefined {
  const [participle = "", preposition = ""] = words;
  return words.length === 2 && PARTICIPLES.has(participle) && PREPOSITIONS.has(preposition) ? participle : undefined;
}

function readableNoun(words: readonly string[], app: ReadonlySet<string>): string | undefined {
  const noun = words.at(-1) ?? "";
  return READABLE_NOUNS.has(noun) && areNouns(words.slice(0, -1), app) ? noun : undefined;
}

function areNouns(words: readonly string[], app: ReadonlySet<string>): boolean {
  return words.every((word) => LEADING_NOUNS.has(word) || app.has(word));
}

function writeBy(verbs: readonly string[]): VerbReading {
  const destroying = verbs.find((verb) => DESTROYING_VERBS.has(verb));
  if (destroying) return { effect: "write", riskTier: "R4", verb: destroying, destructive: true };
  const reaching = verbs.find((verb) => REACHING_VERBS.has(verb));
  if (reaching) return { effect: "write", riskTier: "R3", verb: reaching, destructive: false };
  return { effect: "write", ...(verbs[0] && { verb: verbs[0] }), destructive: false };
}

function isReadingVerb(word: string): boolean {
  return LOOKING_VERBS.has(word) || LISTING_VERBS.has(word);
}

function isWritingVerb(word: string): boolean {
  return CHANGING_VERBS.has(word) || REACHING_VERBS.has(word) || DESTROYING_VERBS.has(word);
}
