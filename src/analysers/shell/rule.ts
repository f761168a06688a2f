import type { Effect } from "./effects.js";
import type { ShellWord } from "./types.js";

/** Options that give a command another effect: `[effect, "-o", "--output"]`. */
export type OptionRule = readonly [effect: Effect, ...options: string[]];

/** Looks at the arguments where a list of options cannot tell the effect. */
export type Inspection = (args: readonly ShellWord[]) => Effect;

/** What is known of one command or subcommand. The effects of options and operands come on top of its own. */
export interface CommandRule {
  readonly effect: Effect;
  readonly options?: readonly OptionRule[];
  /** Short options followed by a value, so that `-k2o` is not read as `-o`. */
  readonly valued?: string;
  /** Long options whose value is the next word. */
  readonly longValued?: readonly string[];
  /** `-name` is one option, not four: find, java, terraform. */
  readonly singleDash?: boolean;
  /** More operands than this have another effect, as `uniq in out` does. */
  readonly operands?: { readonly most: number; readonly beyond: Effect };
  /** By first operand. An operand that is not listed has `effect`; one that is not statically known cannot be inspected. */
  readonly subcommands?: Readonly<Record<string, CommandRule>>;
  /** Arguments are plain text, or the words of another command that is rated on its own, rather than file names. */
  readonly arguments?: "text" | "command";
  /** Options before the subcommand that take no value. Any other leaves open which word is the subcommand. */
  readonly flags?: string;
  /** Decides in place of `effect`. */
  readonly inspect?: Inspection;
}

/** Many names with the same effect, written as one line of words. */
export function every(names: string, rule: CommandRule): Record<string, CommandRule> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, rule]));
}

export const LOOKS: CommandRule = { effect: "looks" };
