import type { CommandRule, OptionRule } from "./rule.js";
import { type ShellWord, UNKNOWN } from "./types.js";

/** The rules among `options` that these arguments trigger, with the word that did. Abbreviated long options count. */
export function triggered(
  rule: CommandRule,
  args: readonly ShellWord[],
): { readonly option: OptionRule; readonly word: ShellWord }[] {
  const found: { option: OptionRule; word: ShellWord }[] = [];
  for (const word of beforeDoubleDash(args)) {
    for (const option of rule.options ?? []) {
      if (option.slice(1).some((name) => matches(word.shape, name, rule))) found.push({ option, word });
    }
  }
  return found;
}

function matches(shape: string, name: string, rule: CommandRule): boolean {
  // Single-dash programs accept a second dash as well: terraform's -destroy and --destroy are one option.
  if (rule.singleDash) return [name, `-${name}`].some((form) => shape === form || shape.startsWith(`${form}=`));
  if (name.startsWith("--")) {
    const given = withoutValue(shape);
    return given.length > 2 && name.startsWith(given);
  }
  // "+" and "@" introduce arguments in some programs: less +cmd, gcc @file.
  if (!name.startsWith("-")) return shape.startsWith(name);
  return shortLetters(shape, rule.valued ?? "").includes(name.slice(1));
}

/** `--output` of `--output=file`. */
function withoutValue(option: string): string {
  return option.replace(/=.*/s, "");
}

/** The letters of `-abc`, up to and including the first that takes the rest as its value. */
function shortLetters(shape: string, valued: string): string {
  if (!/^-[^-]/.test(shape)) return "";
  let letters = "";
  for (const letter of shape.slice(1)) {
    letters += letter;
    if (valued.includes(letter)) break;
  }
  return letters;
}

/** Arguments that are neither options nor values of the options the rule knows to take one. */
export function operandsOf(rule: CommandRule, args: readonly ShellWord[]): ShellWord[] {
  const operands: ShellWord[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as ShellWord;
    if (word.value === "--") return operands.concat(args.slice(index + 1));
    if (!/^-./.test(word.shape)) operands.push(word);
    else if (takesNext(rule, word.shape)) index++;
  }
  return operands;
}

function takesNext(rule: CommandRule, shape: string): boolean {
  if (rule.longValued?.includes(shape)) return true;
  if (rule.singleDash) return false;
  const letters = shortLetters(shape, rule.valued ?? "");
  const last = letters.at(-1) ?? "";
  return letters.length === shape.length - 1 && (rule.valued ?? "").includes(last);
}

function beforeDoubleDash(args: readonly ShellWord[]): readonly ShellWord[] {
  const end = args.findIndex((word) => word.value === "--");
  return end === -1 ? args : args.slice(0, end);
}

/** At run time this word may turn out to be an option, such as a file named `-delete` that a pattern matches. */
export function mayBecomeOption(word: ShellWord): boolean {
  if (word.kind === "literal") return false;
  return word.splits || /^[-*?[@!+{]/.test(word.shape) || word.shape.startsWith(UNKNOWN);
}

/** Whether an option before a subcommand is one the rule knows, or the value of one. */
export function isKnownOption(rule: CommandRule, word: ShellWord, previous: ShellWord | undefined): boolean {
  const { value } = word;
  if (previous && takesNext(rule, previous.shape)) return !word.splits;
  if (value === undefined) return false;
  if (rule.flags?.split(" ").includes(value) || rule.longValued?.includes(withoutValue(value))) return true;
  const named = rule.options?.some((option) => option.slice(1).includes(withoutValue(value)));
  return named || (!value.startsWith("--") && (rule.valued ?? "").includes(value[1] ?? " "));
}
