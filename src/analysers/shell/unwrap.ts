import { nameCommand } from "./commands.js";
import { SHELLS } from "./interpreters.js";
import { isGenerated, literalWord, type ShellCommand, type ShellWord, unknownWord } from "./types.js";
import { WRAPPERS, type Wrapper } from "./wrappers.js";

/** What a command would start: words as they are, a text that a shell reads again, or something nobody can see. */
type Inner =
  | { readonly type: "argv"; readonly argv: readonly ShellWord[] }
  | { readonly type: "script"; readonly script: string; readonly written: string }
  | { readonly type: "opaque"; readonly why: string };

/** The commands inside a wrapper, one level deep. Empty for everything that is not a wrapper. */
export function unwrap(command: ShellCommand): readonly Inner[] {
  const written = command.argv[0]?.value;
  if (written === undefined) return [];
  const { name } = nameCommand(written);
  const args = command.argv.slice(1);
  if (SHELLS.has(name)) return shell(name, args, command);
  if (name === "find") return findActions(args);
  if (name === "trap") return trap(args);
  if (name === "git") return gitAlias(args);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return wrapper ? wrapped(name, wrapper, args) : [];
}

function wrapped(name: string, wrapper: Wrapper, args: readonly ShellWord[]): readonly Inner[] {
  let words = args;
  if (wrapper.only) {
    const start = args.findIndex((word) => word.value === undefined || wrapper.only?.includes(word.value));
    if (start === -1) return [];
    words = args.slice(start + 1);
  }
  const parsed = readOptions(name, wrapper, words);
  if (parsed.type !== "rest") return [parsed];
  let rest = parsed.words;
  if (parsed.splitText !== undefined) rest = [...splitWords(parsed.splitText), ...rest];
  if (wrapper.assignments) {
    const start = rest.findIndex((word) => !/^\w+=/.test(word.shape));
    rest = start === -1 ? [] : rest.slice(start);
  }
  for (let count = wrapper.operands ?? 0; count > 0 && rest.length > 0; count--) {
    if (rest[0]?.splits) return [opaque(`Where the command of "${name}" begins is known only when it runs.`)];
    // Options may also follow the operand: `su root -c script`, `ssh host -p 22 command`.
    const following = readOptions(name, wrapper, rest.slice(1));
    if (following.type !== "rest") return [following];
    rest = following.words;
  }
  if (rest.length === 0) {
    return wrapper.interactive ? [opaque(`"${name}" without a command runs whatever it is given later.`)] : [];
  }
  return fill(name, wrapper, rest, args);
}

function fill(
  name: string,
  wrapper: Wrapper,
  rest: readonly ShellWord[],
  args: readonly ShellWord[],
): readonly Inner[] {
  let words = rest;
  if (wrapper.fills) {
    const marker = replaceMarker(args);
    words = rest.map((word) => (word.shape.includes(marker ?? "{") ? unknownWord(word.text) : word));
    if (marker === undefined) words = [...words, unknownWord("…")];
  }
  if (!wrapper.joins) return [{ type: "argv", argv: words }];
  const values = words.map((word) => word.value);
  if (values.includes(undefined))
    return [opaque(`"${name}" builds its command from text that is known only when it runs.`)];
  const script = values.join(" ");
  return [{ type: "script", script, written: script }];
}

/** What `xargs -I` replaces. An unknown marker could be any text, and every text contains the empty one. */
function replaceMarker(args: readonly ShellWord[]): string | undefined {
  const index = args.findIndex((word) => /^-I|^--replace/.test(word.shape));
  const option = args[index]?.value;
  if (option === undefined) return index === -1 ? undefined : "";
  const glued = option.replace(/^-I|^--replace=?/, "");
  return glued === "" ? (args[index + 1]?.value ?? "") : glued;
}

type Options =
  | { readonly type: "rest"; readonly words: readonly ShellWord[]; readonly splitText?: string }
  | Exclude<Inner, { type: "argv" }>;

function readOptions(name: string, wrapper: Wrapper, words: readonly ShellWord[]): Options {
  const unclear = opaque(`Where the command of "${name}" begins cannot be read from its options.`);
  let splitText: string | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as ShellWord;
    if (word.value === undefined) {
      // An unknown word in this place may be an option that swallows the next one.
      return word.splits || /^[-\0*?[]/.test(word.shape) ? unclear : { type: "rest", words: words.slice(index) };
    }
    if (word.value === "--") return remaining(words.slice(index + 1), splitText);
    if (name === "command" && /^-p?[vV]$/.test(word.value)) return remaining([], undefined);
    if ((name === "env" || name === "su") && word.value === "-") continue;
    if (!/^-./.test(word.value)) return remaining(words.slice(index), splitText);
    const option = readOption(wrapper, word.value, words[index + 1]);
    if (option === undefined) return unclear;
    if (option.script) return scriptOf(option.script, name);
    if (option.split) {
      if (option.split.value === undefined) return unclear;
      splitText = option.split.value;
    }
    if (option.usedNext) index++;
  }
  return remaining([], splitText);
}

function remaining(words: readonly ShellWord[], splitText: string | undefined): Options {
  return splitText === undefined ? { type: "rest", words } : { type: "rest", words, splitText };
}

interface Option {
  readonly usedNext: boolean;
  readonly script?: ShellWord;
  readonly split?: ShellWord;
}

function readOption(wrapper: Wrapper, value: string, next: ShellWord | undefined): Option | undefined {
  if (value.startsWith("--")) return readLongOption(wrapper, value, next);
  for (let index = 1; index < value.length; index++) {
    const letter = value[index] as string;
    const glued = value.slice(index + 1);
    const special = letter === wrapper.script ? "script" : letter === wrapper.split ? "split" : undefined;
    if (special) {
      const text = glued === "" ? next : literalWord(glued);
      return text && { usedNext: glued === "", [special]: text };
    }
    if (wrapper.valued?.includes(letter)) return { usedNext: glued === "" };
    if (!wrapper.flags?.includes(letter)) return undefined;
  }
  return { usedNext: false };
}

function readLongOption(wrapper: Wrapper, value: string, next: ShellWord | undefined): Option | undefined {
  const [name = "", ...given] = value.slice(2).split("=");
  if (wrapper.split && name === "split-string") {
    const split = given.length > 0 ? literalWord(given.join("=")) : next;
    return split && { usedNext: given.length === 0, split };
  }
  if (wrapper.script && name === "command") {
    const script = given.length > 0 ? literalWord(given.join("=")) : next;
    return script && { usedNext: given.length === 0, script };
  }
  if (wrapper.longValued?.split(" ").includes(name)) return { usedNext: given.length === 0 };
  return wrapper.longFlags?.split(" ").includes(name) ? { usedNext: false } : undefined;
}

/** `bash -c script`, `bash -lc script`, `bash file`, or a script on standard input. */
function shell(name: string, args: readonly ShellWord[], command: ShellCommand): readonly Inner[] {
  for (let index = 0; index < args.length; index++) {
    const { value, shape } = args[index] as ShellWord;
    if (isGenerated(args[index] as ShellWord) || (value === undefined && shape.startsWith("-"))) {
      return [opaque(`What "${name}" runs is known only when it runs.`)];
    }
    if (value === "--version") return [];
    if (value !== undefined && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(value)) {
      const operand = args.slice(index + 1).find((word) => word.value === undefined || !/^[-+]/.test(word.value));
      return [scriptOf(operand, name)];
    }
    if (value === "-o" || value === "-O" || value === "--rcfile" || value === "--init-file") index++;
    else if (value === undefined || !/^[-+]./.test(value)) return value === "-" ? [stdinScript(name, command)] : [];
  }
  return [stdinScript(name, command)];
}

function stdinScript(name: string, command: ShellCommand): Inner {
  const input = command.redirects.find((redirect) => redirect.operator.startsWith("<<"));
  if (input?.target.value !== undefined)
    return { type: "script", script: input.target.value, written: input.target.value };
  return opaque(`"${name}" runs whatever arrives on its standard input.`);
}

function scriptOf(word: ShellWord | undefined, name: string): Exclude<Inner, { type: "argv" }> {
  if (word?.value !== undefined) return { type: "script", script: word.value, written: word.text };
  return opaque(`The script that "${name}" runs is known only when it runs.`);
}

/** Every `-exec … ;` and `-exec … +`. Each `{}` becomes a file name that nobody knows yet. */
function findActions(args: readonly ShellWord[]): readonly Inner[] {
  const actions: Inner[] = [];
  for (let index = 0; index < args.length; index++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[index]?.value ?? "")) continue;
    const length = args.slice(index + 1).findIndex((word) => word.value === ";" || word.value === "+");
    const words = args.slice(index + 1, length === -1 ? undefined : index + 1 + length);
    const argv = words.map((word) => (word.shape.includes("{}") ? foundWord(word.text) : word));
    if (argv.length > 0) actions.push({ type: "argv", argv });
    index += argv.length;
  }
  return actions;
}

// Names that find fills in begin with its starting point, so they are file names and never options.
function foundWord(text: string): ShellWord {
  return { text, value: undefined, shape: "./*", kind: "pattern", splits: false };
}

function trap(args: readonly ShellWord[]): readonly Inner[] {
  const operands = args.filter((word) => word.value !== "--");
  if (operands.length < 2 || /^-[lpP]?$/.test(operands[0]?.value ?? "")) return [];
  return [scriptOf(operands[0], "trap")];
}

/** `git -c alias.x='!rm -rf .' x` carries a shell script in a setting. */
function gitAlias(args: readonly ShellWord[]): readonly Inner[] {
  const scripts: Inner[] = [];
  for (const word of args) {
    const script = /^(?:-c)?alias\.[^=]*=!([\s\S]*)$/.exec(word.value ?? "")?.[1];
    if (script !== undefined) scripts.push({ type: "script", script, written: word.text });
  }
  return scripts;
}

// env -S has its own quoting; only texts without any are split the same way by everybody.
function splitWords(text: string): ShellWord[] {
  if (/["'\\$#]/.test(text)) return [unknownWord(text)];
  return text
    .split(/\s+/)
    .filter(Boolean)
    .map((part) => literalWord(part));
}

function opaque(why: string): Extract<Inner, { type: "opaque" }> {
  return { type: "opaque", why };
}
