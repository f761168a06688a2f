import type { Classification } from "../core/classify.js";
import { sha256Hex } from "../core/ids.js";
import { canonicalize, toPlainJson } from "../core/json.js";
import { type Condition, ConditionCompiler } from "./condition.js";
import type { ChannelTiers, Defaults, PolicyDefinition, Rule } from "./definition.js";
import { clockFace, type Facts, type Field, factsOf, type Subject, type TimeFact } from "./facts.js";
import { type Located, locateValue } from "./located.js";
import { Problems } from "./problem.js";
import { type CompiledRule, checkReach } from "./reach.js";
import { readDefinition } from "./read-definition.js";
import { locateYaml } from "./yaml.js";

/** What one rule makes of a call. A rule that failed may or may not have matched: it needs a person. */
export interface Look {
  readonly rule: Rule<number>;
  readonly state: "matched" | "failed";
  /** Why it failed. May quote the call; for the policy's author, not for the agent. */
  readonly why?: string;
}

/** A policy that has passed its checks, with its conditions compiled. Immutable. */
export class Policy {
  /** The file it came from, or a name for people. */
  readonly name: string;
  /** SHA-256 of its canonical JSON, in hex: the same rules have the same version, wherever they are loaded. */
  readonly version: string;
  /** In order, with every duration in milliseconds. */
  readonly rules: readonly Rule<number>[];
  readonly defaults: Defaults<number>;
  /** What may be approved on which channel. */
  readonly channels: ChannelTiers;
  readonly #judging: readonly CompiledRule[];
  readonly #raising: readonly CompiledRule[];
  readonly #counting: readonly CompiledRule[];
  readonly #uses: ReadonlySet<Field>;
  readonly #clockFace: (now: number) => TimeFact;

  private constructor(name: string, definition: PolicyDefinition<number>, compiled: readonly CompiledRule[]) {
    const frozen = toPlainJson(definition) as unknown as PolicyDefinition<number>;
    this.name = name;
    this.version = sha256Hex(canonicalize(definition));
    this.rules = frozen.rules;
    this.defaults = frozen.defaults ?? {};
    this.channels = frozen.channels ?? {};
    this.#judging = compiled.filter(({ rule }) => rule.effect !== undefined || rule.budget !== undefined);
    this.#raising = compiled.filter(({ rule }) => rule.raise !== undefined);
    this.#counting = compiled.filter(({ rule }) => rule.budget !== undefined);
    this.#uses = new Set(compiled.flatMap(({ condition }) => [...condition.fields]));
    this.#clockFace = clockFace(this.defaults.timezone ?? "UTC");
  }

  /** Throws a PolicyError that names everything that is wrong. */
  static read(root: Located, name: string): Policy {
    const problems = new Problems();
    const read = readDefinition(root, problems);
    const compiler = new ConditionCompiler();
    const compiled = (read?.rules ?? []).flatMap(({ rule, place, when }) => {
      const condition: Condition | undefined = compiler.compile(String(rule.when), when, problems);
      return condition === undefined ? [] : [{ rule, place, condition }];
    });
    checkReach(compiled, problems);
    problems.refuse(name);
    return new Policy(name, read?.definition as PolicyDefinition<number>, compiled);
  }

  /** The rules that speak about this call's verdict and budgets, in order. */
  matching(subject: Subject, classification: Classification, now: number): Look[] {
    return lookThrough(this.#judging, this.#facts(subject, classification, now));
  }

  /** The rules that raise this call, in order. */
  raising(subject: Subject, now: number): Look[] {
    return this.#raising.length === 0 ? [] : lookThrough(this.#raising, this.#facts(subject, undefined, now));
  }

  /** The rules whose budgets this call takes from, in order. */
  counting(subject: Subject, now: number): Look[] {
    return this.#counting.length === 0 ? [] : lookThrough(this.#counting, this.#facts(subject, undefined, now));
  }

  #facts(subject: Subject, classification: Classification | undefined, now: number): Facts {
    return factsOf(subject, classification, this.#uses, () => this.#clockFace(now), this.defaults.scope);
  }
}

function lookThrough(rules: readonly CompiledRule[], facts: Facts): Look[] {
  const looks: Look[] = [];
  for (const { rule, condition } of rules) {
    try {
      if (condition.matches(facts)) looks.push({ rule, state: "matched" });
    } catch (error) {
      const { summary, message } = error as { summary?: string; message: string };
      looks.push({ rule, state: "failed", why: summary ?? message });
    }
  }
  return looks;
}

/** A policy written in code. Throws a PolicyError that names everything that is wrong. */
export function definePolicy(definition: PolicyDefinition, name = "policy"): Policy {
  return Policy.read(locateValue(definition, name), name);
}

/** A policy written in YAML; the name stands in messages. Throws a PolicyError with lines and columns. */
export function parsePolicy(text: string, name = "countersign.policy.yaml"): Policy {
  return Policy.read(locateYaml(text, name), name);
}
