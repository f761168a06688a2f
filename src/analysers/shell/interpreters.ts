import type { CommandRule } from "./rule.js";
import { isGenerated } from "./types.js";

// The short options that take code, or make a loop around it.
const CODE_OPTIONS: Readonly<Record<string, string>> = {
  python: "c",
  pypy: "c",
  perl: "eEnpi",
  ruby: "enpi",
  node: "ep",
  nodejs: "ep",
  php: "rBRE",
  lua: "e",
  luajit: "e",
  osascript: "e",
  powershell: "cCe",
  pwsh: "cCe",
  elixir: "e",
  tclsh: "c",
};

export const SHELLS = new Set("sh bash dash ash ksh mksh zsh fish csh tcsh rbash yash posh elvish nu".split(" "));
/** Shells that read the same grammar; what the others would make of the text is only partly known. */
const BASH_LIKE = new Set("sh bash dash ash rbash".split(" "));

/** Programs that run a script: shells, whose scripts are read and rated, and languages, whose code is not. */
export const INTERPRETER_RULES: Readonly<Record<string, CommandRule>> = {
  ...Object.fromEntries([...SHELLS].map((name) => [name, shellRule(name)])),
  ...Object.fromEntries(Object.entries(CODE_OPTIONS).map(([name, letters]) => [name, languageRule(letters)])),
};

/** A script file is code that is not visible; code on the command line or from the input cannot be inspected at all. */
function languageRule(letters: string): CommandRule {
  const inline = new RegExp(`^-[a-zA-Z]*[${letters}]|^--(eval|print|command|run|execute)`);
  return {
    effect: "runs_code",
    arguments: "command",
    inspect: (args) => {
      const operands = args.filter((word) => !word.shape.startsWith("-") || word.value === "-");
      if (args.some((word) => inline.test(word.shape))) return "cannot_inspect";
      if (args.some((word) => word.value === "-m" || word.value === "--test")) return "runs_code";
      const [file] = operands;
      return file === undefined || file.value === "-" || isGenerated(file) ? "cannot_inspect" : "runs_code";
    },
  };
}

/** A script on the command line is read and rated; a script file is code that is not visible. */
function shellRule(name: string): CommandRule {
  return {
    effect: "looks",
    arguments: "command",
    options: [
      ["changes_rights", "-p"],
      ["runs_code", "--rcfile", "--init-file"],
    ],
    valued: "cOo",
    inspect: (args) => {
      const inline = args.some((word) => /^-[a-zA-Z]*c/.test(word.shape));
      const file = args.some((word) => !/^[-+]/.test(word.shape));
      return !BASH_LIKE.has(name) || (file && !inline) ? "runs_code" : "looks";
    },
  };
}
