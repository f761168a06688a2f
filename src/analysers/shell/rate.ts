import { type Finding, highestTier } from "../../core/risk.js";
import { type NamedCommand, nameCommand } from "./commands.js";
import { ASK_VERSION } from "./commands-tools.js";
import { type Effect, effectFinding, sentenceFinding } from "./effects.js";
import { isDangerousVariable, isHarmlessValue } from "./environment.js";
import { holdsCode, namesDestruction } from "./inspections.js";
import { mayBecomeOption, operandsOf, triggered } from "./options.js";
import { isNetworkPath, isSecretPath, writeTarget } from "./paths.js";
import type { CommandRule } from "./rule.js";
import { type ShellAssignment, type ShellCommand, type ShellRedirect, type ShellWord, UNKNOWN } from "./types.js";

/** Everything to be said of one simple command. An empty list means that it only looks. */
export function rateCommand(command: ShellCommand, functions: ReadonlySet<string>): Finding[] {
  const bare = command.argv.length === 0;
  return [
    ...command.assignments.flatMap((assignment) => rateAssignment(assignment, bare)),
    ...command.redirects.flatMap(rateRedirect),
    ...rateProgram(command, functions),
  ];
}

function rateProgram(command: ShellCommand, functions: ReadonlySet<string>): Finding[] {
  const [first, ...args] = command.argv;
  if (!first) return [];
  if (first.value === undefined) {
    return [sentenceFinding("cannot_inspect", "Which program runs is known only when it runs.", command.text)];
  }
  if (functions.has(first.value)) return rateShadow(first.value, command.text);
  const named = nameCommand(first.value);
  if (asksVersion(named, args)) return [];
  if (!named.rule) return [rateUnknown(first.value, args, command.text)];
  const findings = rateByRule(named.name, named.rule, args, command.text);
  if (!named.certain) findings.push(effectFinding("runs_code", first.value, command.text));
  return [
    ...findings,
    ...rateVariables(named.name, args),
    ...rateArguments(named.rule, named.name, args, command.text),
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
  const [only, ...more] = args;
  if (!named.certain || more.length > 0 || !ASK_VERSION.has(named.name)) return false;
  const short = {
    node: "-v",
    npm: "-v",
    pnpm: "-v",
    yarn: "-v",
    python: "-V",
    php: "-v",
    ruby: "-v",
    perl: "-v",
    ssh: "-V",
  };
  return (
    only?.value === "--version" ||
    (only?.value === (short as Record<string, string>)[named.name] && only !== undefined) ||
    (named.name === "go" && only?.value === "version") ||
    (named.name === "java" && only?.value === "-version")
  );
}

function rateUnknown(written: string, args: readonly ShellWord[], text: string): Finding {
  if (namesDestruction(args)) return effectFinding("destroys", written, text);
  return effectFinding(written.includes("/") ? "runs_code" : "unknown_command", written, text);
}

function rateByRule(name: string, rule: CommandRule, args: readonly ShellWord[], text: string): Finding[] {
  const subcommand = rule.subcommands && splitAtOperand(rule, args);
  if (rule.subcommands && subcommand) {
    const { before, word, after } = subcommand;
    const findings = rateOptions(name, rule, before, text);
    if (word.value === undefined) {
      return [...findings, sentenceFinding("cannot_inspect", `What "${name}" does is known only when it runs.`, text)];
    }
    const inner = Object.hasOwn(rule.subcommands, word.value) ? rule.subcommands[word.value] : undefined;
    if (inner) return [...findings, ...rateByRule(`${name} ${word.value}`, inner, after, text)];
  }
  const effect = rule.inspect ? rule.inspect(args) : rule.effect;
  const findings = subcommand ? rateOptions(name, rule, subcommand.before, text) : rateOptions(name, rule, args, text);
  if (rule.operands && operandsOf(rule, args).length > rule.operands.most) {
    findings.push(effectFinding(rule.operands.beyond, name, text));
  }
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
  if (doubtful && !rule.textOnly) {
    const effect: Effect = doubtful.kind === "pattern" ? "reads_unknown" : "runs_code";
    findings.push(
      sentenceFinding(effect, `"${doubtful.text}" may become an option that changes what "${name}" does.`, text),
    );
  }
  return findings;
}

/** File names among the arguments: secrets that are read, places that are written. */
function rateArguments(rule: CommandRule, name: string, args: readonly ShellWord[], text: string): Finding[] {
  if (rule.textOnly) return [];
  const findings = args
    .filter((word) => isSecretPath(word.shape))
    .map((word) => effectFinding("reads_secret", word.text, word.text));
  if (args.some((word) => isNetworkPath(word.shape))) findings.push(effectFinding("uses_network", name, text));
  const effects = rateByRule(name, rule, args, text).map((finding) => finding.riskTier);
  const tier = highestTier(effects);
  // A command that only looks stays one, but nobody can say at what.
  if (tier === "R0" && args.some((word) => word.shape.includes(UNKNOWN)))
    findings.push(effectFinding("reads_unknown", name, text));
  if (tier === "R1" || tier === "R2") {
    for (const word of args) {
      const target = word.shape.startsWith("-") ? "nothing" : writeTarget(word.shape.replace(/^[a-z]+=/, ""));
      if (target === "writes_sensitive" || target === "destroys")
        findings.push(effectFinding(target, `${name} ${word.text}`, text));
    }
  }
  return findings;
}

const ASSIGNING = new Set(
  "export declare typeset readonly local read mapfile readarray getopts printf env sudo alias unset".split(" "),
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
  if (isSecretPath(value.shape)) return [effectFinding("reads_secret", text, text)];
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
    return isSecretPath(target.shape)
      ? [effectFinding("reads_secret", text, text)]
      : target.shape.includes(UNKNOWN)
        ? [effectFinding("reads_unknown", text, text)]
        : [];
  // `2>&1` and `>&-` copy or close a descriptor; `>&file` writes.
  if (/[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(target.value ?? "")) return [];
  const effect = writeTarget(target.shape);
  return effect === "nothing" ? [] : [effectFinding(effect, text, text)];
}
