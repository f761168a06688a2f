/** Stands in a word's `shape` for text that only exists when the command runs. NUL cannot occur in a real argument. */
export const UNKNOWN = "\0";

/** One word of a command, after the shell's quoting has been undone. */
export interface ShellWord {
  /** As written, quotes and all. */
  readonly text: string;
  /** Exactly what the program receives, or undefined when that is known only at run time. Rules match this, never `text`. */
  readonly value: string | undefined;
  /** What is known of the value: `UNKNOWN` marks expansions, a leading `~` the home directory, globs stay as written. */
  readonly shape: string;
  /** Why `value` is undefined: a filename pattern matches existing names; an expansion can become anything. */
  readonly kind: "literal" | "pattern" | "expansion";
  /** An unquoted expansion may become several words, so what follows its known beginning may be an option. */
  readonly splits: boolean;
}

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
  readonly text: string;
}

export interface ShellRedirect {
  /** `<<` and `<<<` carry the text itself as target. */
  readonly operator: string;
  readonly target: ShellWord;
  readonly text: string;
}

/**
 * One simple command. A wrapper is listed with its whole argv, and what it runs is listed again with the wrapper's name in
 * `wrappers`. A rule that allows a text must allow every entry: `sudo ls` is both `sudo ls` and, under sudo, `ls`.
 */
export interface ShellCommand {
  /** Empty for bare assignments and redirections. */
  readonly argv: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  /** The name is that of a function which the text defined before, so no program of that name runs. */
  readonly callsFunction: boolean;
  /** Names of the programs that would start this one, outermost first. */
  readonly wrappers: readonly string[];
  readonly text: string;
}

export function literalWord(value: string, text = value): ShellWord {
  return { text, value, shape: value, kind: "literal", splits: false };
}

/** A word somebody else fills in at run time, as xargs does from its input. */
export function unknownWord(text: string): ShellWord {
  return { text, value: undefined, shape: UNKNOWN, kind: "expansion", splits: false };
}

/** The word stands for text that something else produces: unknown altogether, or a pipe under a file's name. */
export function isGenerated(word: ShellWord): boolean {
  return word.shape.includes(UNKNOWN) || /^\/dev\/(stdin|fd\/)|^\/proc\/[^/]+\/fd\//.test(word.shape);
}
