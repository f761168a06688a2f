import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { fieldsOf, loopDepth, walk } from "./ast.js";
import { type At, checkNames, checkType, RECORDS } from "./check-condition.js";
import { AgentFact, type Facts, FIELDS, type Field, RequesterFact, ScopeFact, SessionFact, TimeFact } from "./facts.js";
import { loadCel, loadRe2 } from "./packages.js";
import type { Problems } from "./problem.js";

/** A condition that has been parsed, type-checked and made ready to run. */
export interface Condition {
  readonly ast: ASTNode;
  readonly fields: ReadonlySet<Field>;
  /** Whether the facts match. Throws when that cannot be said; whoever asks takes that as "needs a person". */
  readonly matches: (facts: Facts) => boolean;
}

/** Far more than a rule that people can read needs. */
const LIMITS = { maxAstNodes: 500, maxDepth: 32, maxListElements: 500, maxMapEntries: 50, maxCallArguments: 4 };
/** Rounds of the innermost loop; a call whose arguments would need more is shown to a person instead. */
const MOST_ROUNDS = 10_000;
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
    this.#environment.registerFunction("number(dyn): double", toNumber);
    // Numbers of a call are doubles and numbers of a rule mostly whole: `args.price * 2` should mean what it says.
    this.#environment.registerOperator("double == int", (a: number, b: bigint) => a === Number(b));
    for (const [sign, apply] of Object.entries(ARITHMETIC)) {
      const mixed = (a: number | bigint, b: number | bigint) => apply(Number(a), Number(b));
      this.#environment.registerOperator(`double ${sign} int`, mixed);
      this.#environment.registerOperator(`int ${sign} double`, mixed);
    }
  }

  /** Nothing, and at least one problem, when the text is not a condition. */
  compile(text: string, at: At, problems: Problems): Condition | undefined {
    const before = problems.found.length;
    const parsed = this.#parse(text, at, problems);
    if (parsed === undefined) return undefined;
    const { ast } = parsed;
    checkNames(ast, at, problems);
    this.#compilePatterns(ast, at, problems);
    // Names first: a call that is not allowed would otherwise be reported as a type error as well.
    if (problems.found.length === before) checkType(parsed.check(), at, problems);
    if (problems.found.length > before) return undefined;
    const fields = fieldsOf(ast);
    const depth = loopDepth(ast);
    return { ast, fields, matches: (facts) => this.#run(parsed, facts, depth) };
  }

  #parse(text: string, at: At, problems: Problems) {
    try {
      return this.#environment.parse(text);
    } catch (error) {
      const { summary, range } = error as { summary?: string; range?: { start: number } };
      problems.add(at(range?.start ?? 0), `The condition cannot be read: ${summary ?? (error as Error).message}.`);
      return undefined;
    }
  }

  #compilePatterns(ast: ASTNode, at: At, problems: Problems): void {
    walk(ast, (node) => {
      if (node.op === "rcall" && node.args[0] === "re") this.#compilePattern(node.args[2], at, node, problems);
    });
  }

  /** A pattern is part of the rule: one that came with the call would be the agent's. */
  #compilePattern([pattern]: readonly ASTNode[], at: At, node: ASTNode, problems: Problems): void {
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

/** A number that was sent as a text. The language's own conversion takes "NaN", which no comparison can catch. */
function toNumber(value: unknown): number {
  if (typeof value === "number" || typeof value === "bigint") return Number(value);
  if (typeof value !== "string" || !/^-?\d{1,15}(\.\d{1,15})?$/.test(value)) throw new Error("This is not a number.");
  return Number(value);
}

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

/** Elements in the largest list or map. Arguments are at most 64 deep. */
function largestIn(value: unknown, largest: number): number {
  if (value === null || typeof value !== "object") return largest;
  const items = Array.isArray(value) ? value : Object.values(value);
  return items.reduce((most: number, item) => largestIn(item, most), Math.max(largest, items.length));
}
