import { type Finding, highestTier } from "../../core/risk.js";
import { type NamedCommand, nameCommand } from "./commands.js";
import { ASK_VERSION, OWN_VERSION_OPTIONS } from "./commands-tools.js";
import { effectFinding, sentenceFinding } from "./effects.js";
import { isDangerousVariable, isHarmlessValue } from "./environment.js";
import { holdsCode, namesDestruction } from "./inspections.js";
import { isKnownOption, mayBecomeOption, operandsOf, triggered } from "./options.js";
import { isNetworkPath, isSecretPath, writeTarget } from "./paths.js";
import type { CommandRule } from "./rule.js";
import { type ShellAssignment, type ShellCommand, type ShellRedirect, type ShellWord, UNKNOWN } from "./types.js";

/** Everything to be said of one simple command. An empty list means that it only looks. */
export function rateCommand(command: ShellCommand): Finding[] {
  const bare = command.argv.length === 0;
  return [
    ...command.assignments.flatMap((assignment) => rateAssignment(assignment, bare)),
    ...command.redirects.flatMap(rateRedirect),
    ...rateProgram(command),
  ];
}

function rateProgram(command: ShellCommand): Finding[] {
  const [first, ...args] = command.argv;
  if (!first) return [];
  if (first.value === undefined) {
    return [sentenceFinding("cannot_inspect", "Which program runs is known only when it runs.", command.text)];
  }
  if (command.callsFunction) return rateShadow(first.value, command.text);
  const named = nameCommand(first.value);
  if (asksVersion(named, args)) return [];
  if (!named.rule) return [rateUnknown(first.value, args, command.text)];
  const findings = rateByRule(named.name, named.rule, args, command.text);
  const own = [...findings];
  if (!named.certain) findings.push(effectFinding("runs_code", first.value, command.text));
  return [
    ...findings,
    ...rateVariables(named.name, args),
    ...rateArguments(named.rule, named.name, args, command.text, own),
  ];
}

// The body was rated where it is defined. A function that takes the name of a program deserves a word of its own.
function rateShadow(name: string, text: string): Finding[] {
  if (!nameCommand(name).rule) return [];
  return [
    sentenceFinding("changes_environment", `"${name}" is redefined here and is no longer the usual program.`, text),
  ];
}

function asksVersion(named: NamedCommand, args: readonly ShellWord[]): boolean {
  const option = args.length === 1 ? args[0]?.value : undefined;
  if (!named.certain || option === undefined) return false;
  return (option === "--version" && ASK_VERSION.has(named.name)) || OWN_VERSION_OPTIONS.has(`${named.name} ${option}`);
}

function rateUnknown(written: string, args: readonly ShellWord[], text: string): Finding {
  if (namesDestruction(args)) return effectFinding("destroys", written, text);
  return effectFinding(written.includes("/") ? "runs_code" : "unknown_command", written, text);
}

function rateByRule(name: string, rule: CommandRule, args: readonly ShellWord[], text: string): Finding[] {
  const split = rule.subcommands && splitAtOperand(rule, args);
  if (rule.subcommands && split) {
    const { before, word, after } = split;
    const inner = Object.hasOwn(rule.subcommands, word.value ?? "") ? rule.subcommands[word.value ?? ""] : undefined;
    // An option nobody knows may take the next word as its value, and then another word is the subcommand.
    if (word.value === undefined || !before.every((option, index) => isKnownOption(rule, option, before[index - 1]))) {
      return [sentenceFinding("cannot_inspect", `Which subcommand of "${name}" runs cannot be told beforehand.`, text)];
    }
    if (inner)
      return [...rateOptions(name, rule, before, text), ...rateByRule(`${name} ${word.value}`, inner, after, text)];
  }
  const findings = rateOptions(name, rule, args, text);
  if (rule.operands && operandsOf(rule, args).length > rule.operands.most) {
    findings.push(effectFinding(rule.operands.beyond, name, text));
  }
  const effect = rule.inspect ? rule.inspect(args) : rule.effect;
  if (effect !== "looks") findings.push(effectFinding(effect, name, text));
  return findings;
}

function splitAtOperand(rule: CommandRule, args: readonly ShellWord[]) {
  const word = operandsOf(rule, args)[0];
  if (!word) return undefined;
  const index = args.indexOf(word);
  return { before: args.slice(0, index), word, after: args.slice(index + 1) };
}

function rateOptions(name: string, rule: CommandRule, args: readonly ShellWord[], text: string): Finding[] {
  const findings = triggered(rule, args).map(({ option, word }) =>
    effectFinding(option[0], `${name} ${word.text}`, text),
  );
  const couldRaise = rule.options !== undefined || rule.inspect !== undefined || rule.operands !== undefined;
  const doubtful = couldRaise ? args.find(mayBecomeOption) : undefined;
  if (doubtful && !rule.arguments) {
    const effect = doubtful.kind === "pattern" ? "reads_unknown" : "runs_code";
    findings.push(
      sentenceFinding(effect, `"${doubtful.text}" may become an option that changes what "${name}" does.`, text),
    );
  }
  return findings;
}

/** File names among the arguments: secrets that are read, places that are written, targets nobody knows yet. */
function rateArguments(
  rule: CommandRule,
  name: string,
  args: readonly ShellWord[],
  text: string,
  own: readonly Finding[],
): Finding[] {
  if (rule.arguments === "text") return [];
  const findings = args
    .filter((word) => isSecretPath(word))
    .map((word) => effectFinding("reads_secret", word.text, word.text));
  if (rule.arguments === "command") return findings;
  if (args.some((word) => isNetworkPath(word.shape))) findings.push(effectFinding("uses_network", name, text));
  const tier = highestTier(own.map((finding) => finding.riskTier));
  const writes = own.some((finding) => finding.code === "writes_files" || finding.code === "changes_reversibly");
  const unknown = args.find((word) => word.shape.includes(UNKNOWN) || (tier === "R4" && word.kind === "pattern"));
  if (unknown && tier === "R0") findings.push(effectFinding("reads_unknown", name, text));
  if (unknown && own.some((finding) => finding.code === "destroys"))
    findings.push(effectFinding("targets_unknown", `${name} ${unknown.text}`, text));
  if (writes) findings.push(...args.flatMap((word) => rateTarget(name, word, text)));
  return findings;
}

function rateTarget(name: string, word: ShellWord, text: string): Finding[] {
  if (word.shape.startsWith("-")) return [];
  const target = writeTarget(word.shape);
  return target !== "nothing" && target !== "writes_files" ? [effectFinding(target, `${name} ${word.text}`, text)] : [];
}

const ASSIGNING = new Set(
  "export declare typeset readonly local read mapfile readarray getopts printf env sudo unset".split(" "),
);

/** Variables that builtins set by name: `export PAGER=…`, `read PATH`, `printf -v IFS`. */
function rateVariables(name: string, args: readonly ShellWord[]): Finding[] {
  if (!ASSIGNING.has(name)) return [];
  const findings: Finding[] = [];
  for (const word of args) {
    const variable = /^(?:-v)?([A-Za-z_]\w*)\+?(=|$)/.exec(word.shape)?.[1];
    if (variable && isDangerousVariable(variable) && !isHarmlessValue(variable, word.shape.split("=")[1])) {
      findings.push(effectFinding("changes_environment", word.text, word.text));
    }
    if (word.shape.includes("=") && word.kind === "literal" && holdsCode(word)) findings.push(hiddenCode(word.text));
  }
  return findings;
}

function rateAssignment(assignment: ShellAssignment, bare: boolean): Finding[] {
  const { name, value, text } = assignment;
  if (isDangerousVariable(name) && !isHarmlessValue(name, value.value))
    return [effectFinding("changes_environment", text, text)];
  if (holdsCode(value)) return [hiddenCode(text)];
  if (isSecretPath(value)) return [effectFinding("reads_secret", text, text)];
  // Before a command the variable reaches that program, which may give it any meaning.
  return bare || /^(LC_|LANG|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CI$|NODE_ENV)/.test(name)
    ? []
    : [effectFinding("changes_reversibly", text, text)];
}

function hiddenCode(text: string): Finding {
  return sentenceFinding(
    "changes_environment",
    `"${text}" stores a command that runs when the variable is evaluated.`,
    text,
  );
}

function rateRedirect(redirect: ShellRedirect): Finding[] {
  const { operator, target, text } = redirect;
  if (operator.startsWith("<<")) return [];
  if (isNetworkPath(target.shape)) return [effectFinding("uses_network", text, text)];
  if (operator === "<")
    return isSecretPath(target)
      ? [effectFinding("reads_secret", text, text)]
      : target.shape.includes(UNKNOWN)
        ? [effectFinding("reads_unknown", text, text)]
        : [];
  // `2>&1` and `>&-` copy or close a descriptor; `>&file` writes.
  if (/[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(target.value ?? "")) return [];
  const effect = writeTarget(target.shape);
  return effect === "nothing" ? [] : [effectFinding(effect, text, text)];
}
