import type { Assignment, Command, ParsedScript, Redirection, SyntaxNode } from "unbash";
import type { Finding } from "../../core/risk.js";
import { sentenceFinding } from "./effects.js";
import { holdsCode } from "./inspections.js";
import type { Parser } from "./parser.js";
import { literalWord, type ShellAssignment, type ShellCommand, type ShellRedirect, unknownWord } from "./types.js";
import { unwrap } from "./unwrap.js";
import { assignmentValue, assignmentWord, hereDocWord, toShellWord } from "./word.js";
import { isTooMuchWork } from "./work.js";

const MOST_COMMANDS = 1000;
const MOST_WRAPPERS = 16;
// Tests that evaluate what they compare, subscripts included.
const EVALUATING = new Set("-v -eq -ne -lt -le -gt -ge".split(" "));

/** Everything one pass over a text collects. */
export interface Walk {
  readonly parser: Parser;
  readonly commands: ShellCommand[];
  readonly findings: Finding[];
  readonly functions: Set<string>;
  readonly problems: Finding[];
}

interface Place {
  readonly source: string;
  readonly wrappers: readonly string[];
  /** The function whose body this is. */
  readonly inside: string | undefined;
  /** Statements at the top of the text: a function defined here exists for everything that follows. */
  readonly top: boolean;
}

/** Parses a script and collects every simple command in it, however deeply nested, with what its wrappers would start. */
export function walkScript(walk: Walk, source: string, wrappers: readonly string[] = []): void {
  const place: Place = { source, wrappers, inside: undefined, top: wrappers.length === 0 };
  if (isTooMuchWork(source)) {
    const why = "The text opens more parentheses or braces than are followed.";
    walk.problems.push(sentenceFinding("cannot_inspect", why));
    return;
  }
  visit(walk, walk.parser.parse(source), place);
}

function visit(walk: Walk, node: SyntaxNode, place: Place): void {
  if (walk.commands.length > MOST_COMMANDS) return;
  // What runs in the background, in a list or in a subshell defines nothing for the lines that follow.
  const keepsTop = node.type === "Script" || (node.type === "Statement" && !node.background);
  let inner = keepsTop ? place : { ...place, top: false };
  switch (node.type) {
    case "Script":
      checkScript(walk, node, place);
      if (node.source !== undefined) inner = { ...inner, source: node.source };
      break;
    case "Command":
      addCommand(walk, node, place);
      break;
    case "Redirected":
      addRedirects(walk, node.redirects, place);
      break;
    case "Function":
      if (place.top) walk.functions.add(node.name.value);
      inner = { ...inner, inside: node.name.value };
      break;
    case "For":
    case "Select":
      addAssignment(walk, { name: node.name.value, value: unknownWord(node.name.text), text: node.name.text }, place);
      break;
    default:
      visitExpansion(walk, node, place);
  }
  walk.parser.forEachChild(node, (child) => visit(walk, child, inner));
}

/** Expansions that run, assign or reveal something by themselves. */
function visitExpansion(walk: Walk, node: SyntaxNode, place: Place): void {
  switch (node.type) {
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      if (node.script === undefined) problem(walk, "A substitution cannot be parsed.", node.text);
      return;
    case "SimpleExpansion":
      return revealed(walk, node.text, node.text);
    case "ParameterExpansion":
      revealed(walk, node.parameter, node.text);
      if (node.prefix === "!") problem(walk, "The name of the variable is itself taken from a variable.", node.text);
      if (
        node.operation?.type === "Unknown" ||
        (node.operation?.type === "Transform" && node.operation.operand.value === "P")
      ) {
        problem(walk, "An expansion evaluates text that is known only when it runs.", node.text);
      }
      if (node.operation?.type === "Default" && node.operation.operator.includes("=")) {
        addAssignment(
          walk,
          { name: node.parameter, value: toShellWord(node.operation.operand), text: node.text },
          place,
        );
      }
      return;
    case "TestUnary":
    case "TestBinary": {
      const words = node.type === "TestUnary" ? [node.operand] : [node.left, node.right];
      if (EVALUATING.has(node.operator) && words.some((word) => holdsCode(toShellWord(word)))) {
        problem(walk, "A test evaluates a command hidden in a variable's subscript.", slice(place, node));
      }
      return;
    }
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
      if (node.expression === undefined) {
        problem(walk, "An arithmetic expression cannot be parsed.", slice(place, node));
      }
      return;
    default: // every other node is what its children are
  }
}

function checkScript(walk: Walk, script: ParsedScript, place: Place): void {
  const error = script.errors?.[0];
  if (error) problem(walk, `The text is not a complete shell command: ${error.message}.`, slice(place, script));
}

function addCommand(walk: Walk, node: Command, place: Place): void {
  const argv = node.args.map((argument) =>
    argument.type === "Word" ? toShellWord(argument) : assignmentWord(argument),
  );
  const name = node.name && toShellWord(node.name);
  const command: ShellCommand = {
    argv: name ? [name, ...argv] : [],
    assignments: node.prefix.filter((part): part is Assignment => part.type === "Assignment").map(toAssignment),
    redirects: toRedirects(node.redirects, place),
    // A shell started inside does not know the functions of this one.
    callsFunction: place.wrappers.length === 0 && name?.value !== undefined && walk.functions.has(name.value),
    wrappers: place.wrappers,
    text: slice(place, node),
  };
  if (place.inside !== undefined && name?.value === place.inside) {
    const text = `The function "${place.inside}" calls itself, which can start processes without end.`;
    walk.findings.push(sentenceFinding("destroys", text, command.text));
  }
  add(walk, command, place);
}

/** Records a command and whatever it would start in turn. */
function add(walk: Walk, command: ShellCommand, place: Place): void {
  if (walk.commands.push(command) > MOST_COMMANDS)
    return problem(walk, `There are more than ${MOST_COMMANDS} commands.`, "");
  const name = command.argv[0]?.value ?? "";
  if (name === "unset") walk.functions.clear();
  const wrappers = [...place.wrappers, name];
  if (wrappers.length > MOST_WRAPPERS)
    return problem(walk, "Commands are wrapped too deeply to be inspected.", command.text);
  for (const inner of unwrap(command)) {
    if (inner.type === "opaque") problem(walk, inner.why, command.text);
    else if (inner.type === "script") walkScript(walk, inner.script, wrappers);
    else {
      const words = inner.argv.map((word) => word.text).join(" ");
      // A fragment is what was written: words that were filled in or stand further apart are not.
      const text = command.text.includes(words) ? words : command.text;
      add(
        walk,
        { argv: inner.argv, assignments: [], redirects: [], callsFunction: false, wrappers, text },
        { ...place, wrappers },
      );
    }
  }
}

function addRedirects(walk: Walk, nodes: readonly Redirection[], place: Place): void {
  const redirects = toRedirects(nodes, place);
  const text = redirects.map((redirect) => redirect.text).join(" ");
  add(walk, { argv: [], assignments: [], redirects, callsFunction: false, wrappers: place.wrappers, text }, place);
}

function addAssignment(walk: Walk, assignment: ShellAssignment, place: Place): void {
  add(
    walk,
    {
      argv: [],
      assignments: [assignment],
      redirects: [],
      callsFunction: false,
      wrappers: place.wrappers,
      text: assignment.text,
    },
    place,
  );
}

function toAssignment(node: Assignment): ShellAssignment {
  return { name: node.name, value: assignmentValue(node), text: node.text };
}

function toRedirects(nodes: readonly Redirection[], place: Place): ShellRedirect[] {
  return nodes.map((node) => {
    const target =
      node.type === "HereDoc" ? hereDocWord(node.body) : node.target ? toShellWord(node.target) : literalWord("");
    return { operator: node.operator, target, text: slice(place, node) };
  });
}

// Names people give to variables that hold secrets; printing one puts it where others can read it.
const SECRET_NAME = /(SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|CREDENTIAL|ACCESS_KEY)/i;

function revealed(walk: Walk, name: string, text: string): void {
  if (SECRET_NAME.test(name) && walk.findings.length < MOST_COMMANDS) {
    walk.findings.push(
      sentenceFinding("reads_secret", `"${text}" puts a secret from the environment into the command.`, text),
    );
  }
}

function problem(walk: Walk, text: string, fragment: string): void {
  walk.problems.push(sentenceFinding("cannot_inspect", text, fragment));
}

function slice(place: Place, node: { readonly pos: number; readonly end: number }): string {
  return place.source.slice(node.pos, node.end);
}
