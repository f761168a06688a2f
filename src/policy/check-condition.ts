import type { ASTNode } from "@marcbachmann/cel-js";
import { LOOPS, loopDepth, nameOf, walk, wordsIn } from "./ast.js";
import { FIELDS, type Field, WEEKDAYS } from "./facts.js";
import type { Place, Problems } from "./problem.js";
import { listed } from "./shape.js";
import { didYouMean } from "./suggest.js";

/** The place of a character of the condition. */
export type At = (offset: number) => Place;

/** What conditions may call. A list of ours, so that nothing new in the language's library comes in unseen. */
const FUNCTIONS = ["has", "size", "int", "number", "string", "type"];
const METHODS = ["startsWith", "endsWith", "contains", "re", "lowerAscii", "upperAscii", "trim", "size", ...LOOPS];

const DEEPEST_LOOP = 2;

/** The members of the fields that have some. */
export const RECORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Requester: { id: "string", workspace: "string", device: "string" },
  Agent: { id: "string", lineage: "list<string>" },
  Session: { id: "string" },
  Scope: { outside: "bool", paths: "list<string>", domains: "list<string>" },
  Time: { hour: "int", minute: "int", weekday: "string", weekend: "bool", date: "string" },
};

/** Everything a condition names has to exist: functions, fields' members, and the words that a field can hold. */
export function checkNames(ast: ASTNode, at: At, problems: Problems): void {
  checkCalls(ast, at, problems);
  checkDivisors(ast, at, problems);
  checkMembers(ast, at, problems);
  checkWords(ast, at, problems);
}

function checkCalls(ast: ASTNode, at: At, problems: Problems): void {
  walk(ast, (node) => {
    if (node.op !== "call" && node.op !== "rcall") return;
    const name = node.args[0];
    const known = node.op === "call" ? FUNCTIONS : METHODS;
    if (name === "matches") {
      problems.add(
        at(node.pos),
        "matches() can take exponential time on what an agent sends.",
        'Use re("…"), which is linear.',
      );
    } else if (!known.includes(name)) {
      problems.add(
        at(node.pos),
        `There is no function ${name}().`,
        didYouMean(name, known) ?? `Known are ${listed(known)}.`,
      );
    }
  });
  if (loopDepth(ast) > DEEPEST_LOOP)
    problems.add(at(0), `Loops stand ${loopDepth(ast)} deep in one another; ${DEEPEST_LOOP} are allowed.`);
}

/** 0 / 0 is not a number, and nothing is larger or smaller than that: an agent could slip past any limit with it. */
function checkDivisors(ast: ASTNode, at: At, problems: Problems): void {
  walk(ast, (node) => {
    if (node.op !== "/" && node.op !== "%") return;
    const [, divisor] = node.args;
    if (divisor.op !== "value" || Number(divisor.args) === 0)
      problems.add(at(divisor.pos), "What is divided by has to be a number written in the rule, other than 0.");
  });
}

function checkMembers(ast: ASTNode, at: At, problems: Problems): void {
  walk(ast, (node) => {
    if (node.op !== "." || node.args[0].op !== "id") return;
    const [{ args: field }, member] = node.args;
    const known = Object.keys(RECORDS[FIELDS[field as Field]?.type ?? ""] ?? {});
    if (known.length > 0 && !known.includes(member))
      problems.add(
        at(node.pos),
        `There is no ${field}.${member}.`,
        didYouMean(member, known) ?? `It has ${listed(known)}.`,
      );
  });
}

const WORDS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["effect", FIELDS.effect.words],
  ["riskTier", FIELDS.riskTier.words],
  ["time.weekday", WEEKDAYS],
]);

/** `effect == "wirte"` is well typed and never true: fields with few words are compared with those words alone. */
function checkWords(ast: ASTNode, at: At, problems: Problems): void {
  walk(ast, (node) => {
    if (!["==", "!=", "<", "<=", ">", ">=", "in"].includes(node.op)) return;
    const [left, right] = node.args as [ASTNode, ASTNode];
    for (const [side, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const name = nameOf(side);
      const words = WORDS.get(name ?? "");
      if (words === undefined) continue;
      for (const { word, node: literal } of wordsIn(other)) {
        if (!words.includes(word))
          problems.add(
            at(literal.pos),
            `${name} is never "${word}".`,
            didYouMean(word, words) ?? `It is ${listed(words, "or")}.`,
          );
      }
    }
  });
}

export function checkType(
  checked: {
    valid: boolean;
    type?: string;
    error?: { code: string; summary: string; range?: { start: number } };
  },
  at: At,
  problems: Problems,
): void {
  if (checked.valid) {
    if (checked.type !== "bool")
      problems.add(
        at(0),
        `The condition has to be true or false, and this is ${checked.type}.`,
        "Compare it with something: … == true.",
      );
    return;
  }
  const { code, summary, range } = checked.error ?? { code: "", summary: "it cannot be checked" };
  const place = at(range?.start ?? 0);
  const name = summary.slice(summary.lastIndexOf(" ") + 1);
  if (code === "unknown_variable") {
    problems.add(
      place,
      `There is no field "${name}".`,
      didYouMean(name, Object.keys(FIELDS)) ?? `Known are ${listed(Object.keys(FIELDS))}.`,
    );
  } else {
    problems.add(place, `The types do not fit: ${summary}.`);
  }
}
