import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { fieldsOf, LOOPS, loopDepth, nameOf, walk, wordsIn } from "./ast.js";
import {
  AgentFact,
  type Facts,
  FIELDS,
  type Field,
  RequesterFact,
  ScopeFact,
  SessionFact,
  TimeFact,
  WEEKDAYS,
} from "./facts.js";
import { loadCel, loadRe2 } from "./packages.js";
import type { Place, Problems } from "./problem.js";
import { listed } from "./shape.js";
import { didYouMean } from "./suggest.js";

/** A condition that has been parsed, type-checked and made ready to run. */
export interface Condition {
  readonly ast: ASTNode;
  readonly fields: ReadonlySet<Field>;
  /** Whether the facts match. Throws when that cannot be said; whoever asks takes that as "needs a person". */
  readonly matches: (facts: Facts) => boolean;
}

/** What conditions may call. A list of ours, so that nothing new in the language's library comes in unseen. */
const FUNCTIONS = ["has", "size", "int", "double", "string", "type"];
const METHODS = ["startsWith", "endsWith", "contains", "re", "lowerAscii", "upperAscii", "trim", "size", ...LOOPS];

/** Far more than a rule that people can read needs. */
const LIMITS = { maxAstNodes: 500, maxDepth: 32, maxListElements: 500, maxMapEntries: 50, maxCallArguments: 4 };
/** Rounds of the innermost loop; a call whose arguments would need more is shown to a person instead. */
const MOST_ROUNDS = 10_000;
const DEEPEST_LOOP = 2;
/** Characters that patterns look through in one evaluation: linear time is still time. */
const MOST_CHARACTERS = 20_000;

/** Compiles the conditions of one policy. */
export class ConditionCompiler {
  readonly #cel = loadCel();
  readonly #environment: Environment;
  readonly #patterns = new Map<string, (text: string) => boolean>();
  #characters = 0;
  /** Facts are made anew for each call and looked at by every rule: their size is worked out once. */
  #measured: { readonly facts: Facts; readonly largest: number } | undefined;

  constructor() {
    this.#environment = new this.#cel.Environment({ limits: LIMITS });
    const records = {
      Requester: RequesterFact,
      Agent: AgentFact,
      Session: SessionFact,
      Scope: ScopeFact,
      Time: TimeFact,
    };
    for (const [name, ctor] of Object.entries(records))
      this.#environment.registerType(name, { ctor, fields: RECORDS[name] ?? {} });
    for (const [name, { type }] of Object.entries(FIELDS)) this.#environment.registerVariable(name, type);
    this.#environment.registerFunction("string.re(string): bool", (text: string, pattern: string) =>
      this.#find(text, pattern),
    );
    // Numbers of a call are doubles and numbers of a rule mostly whole: `args.price * 2` should mean what it says.
    for (const [sign, apply] of Object.entries(ARITHMETIC)) {
      const mixed = (a: number | bigint, b: number | bigint) => apply(Number(a), Number(b));
      this.#environment.registerOperator(`double ${sign} int`, mixed);
      this.#environment.registerOperator(`int ${sign} double`, mixed);
    }
  }

  /** Nothing, and at least one problem, when the text is not a condition. */
  compile(text: string, at: (offset: number) => Place, problems: Problems): Condition | undefined {
    const before = problems.found.length;
    const parsed = this.#parse(text, at, problems);
    if (parsed === undefined) return undefined;
    const { ast } = parsed;
    this.#checkCalls(ast, at, problems);
    checkMembers(ast, at, problems);
    checkWords(ast, at, problems);
    // Names first: a call that is not allowed would otherwise be reported as a type error as well.
    if (problems.found.length === before) checkType(parsed.check(), at, problems);
    if (problems.found.length > before) return undefined;
    const fields = fieldsOf(ast);
    const depth = loopDepth(ast);
    return { ast, fields, matches: (facts) => this.#run(parsed, facts, depth) };
  }

  #parse(text: string, at: (offset: number) => Place, problems: Problems) {
    try {
      return this.#environment.parse(text);
    } catch (error) {
      const { summary, range } = error as { summary?: string; range?: { start: number } };
      problems.add(at(range?.start ?? 0), `The condition cannot be read: ${summary ?? (error as Error).message}.`);
      return undefined;
    }
  }

  #checkCalls(ast: ASTNode, at: (offset: number) => Place, problems: Problems): void {
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
      } else if (node.op === "rcall" && name === "re") this.#checkPattern(node.args[2], at, node, problems);
    });
    if (loopDepth(ast) > DEEPEST_LOOP)
      problems.add(at(0), `Loops stand ${loopDepth(ast)} deep in one another; ${DEEPEST_LOOP} are allowed.`);
  }

  /** A pattern is part of the rule: one that came with the call would be the agent's. */
  #checkPattern([pattern]: readonly ASTNode[], at: (offset: number) => Place, node: ASTNode, problems: Problems): void {
    if (pattern?.op !== "value" || typeof pattern.args !== "string") {
      problems.add(at(node.pos), "The pattern of re() has to be written in the rule.");
      return;
    }
    try {
      const { RE2JS } = loadRe2();
      const compiled = RE2JS.compile(pattern.args);
      this.#patterns.set(pattern.args, (text) => compiled.matcher(text).find());
    } catch (error) {
      problems.add(
        at(pattern.pos),
        `The pattern cannot be read: ${(error as Error).message}.`,
        "It has RE2 syntax: no look-around, no back-references.",
      );
    }
  }

  #find(text: string, pattern: string): boolean {
    const find = this.#patterns.get(pattern);
    this.#characters += text.length;
    if (find === undefined || this.#characters > MOST_CHARACTERS)
      throw new Error("The text is too long for a pattern.");
    return find(text);
  }

  #run(parsed: (facts: Facts) => unknown, facts: Facts, depth: number): boolean {
    if (depth > 0 && this.#largest(facts) ** depth > MOST_ROUNDS)
      throw new Error("The arguments are too large to be looked through.");
    this.#characters = 0;
    const result = parsed(facts);
    if (typeof result !== "boolean") throw new Error("The condition gave neither true nor false.");
    return result;
  }

  #largest(facts: Facts): number {
    if (this.#measured?.facts !== facts) this.#measured = { facts, largest: largestIn(facts.args, 0) };
    return this.#measured.largest;
  }
}

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

const RECORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Requester: { id: "string", workspace: "string", device: "string" },
  Agent: { id: "string", lineage: "list<string>" },
  Session: { id: "string" },
  Scope: { outside: "bool", paths: "list<string>", domains: "list<string>" },
  Time: { hour: "int", minute: "int", weekday: "string", weekend: "bool", date: "string" },
};

/** Elements in the largest list or map. Arguments are at most 64 deep. */
function largestIn(value: unknown, largest: number): number {
  if (value === null || typeof value !== "object") return largest;
  const items = Array.isArray(value) ? value : Object.values(value);
  return items.reduce((most: number, item) => largestIn(item, most), Math.max(largest, items.length));
}

function checkMembers(ast: ASTNode, at: (offset: number) => Place, problems: Problems): void {
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

/** `effect == "wirte"` is well typed and never true: fields with few words are compared with those words alone. */
function checkWords(ast: ASTNode, at: (offset: number) => Place, problems: Problems): void {
  const WORDS: Readonly<Record<string, readonly string[]>> = {
    effect: FIELDS.effect.words,
    riskTier: FIELDS.riskTier.words,
    "time.weekday": WEEKDAYS,
  };
  walk(ast, (node) => {
    if (!["==", "!=", "<", "<=", ">", ">=", "in"].includes(node.op)) return;
    const [left, right] = node.args as [ASTNode, ASTNode];
    for (const [side, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const name = nameOf(side);
      const words = name === undefined ? undefined : WORDS[name];
      for (const { word, node: literal } of words === undefined ? [] : wordsIn(other)) {
        if (words?.includes(word) === false)
          problems.add(
            at(literal.pos),
            `${name} is never "${word}".`,
            didYouMean(word, words) ?? `It is ${listed(words, "or")}.`,
          );
      }
    }
  });
}

function checkType(
  checked: {
    valid: boolean;
    type?: string;
    error?: { code: string; summary: string; range?: { start: number; end: number }; node?: unknown };
  },
  at: (offset: number) => Place,
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
