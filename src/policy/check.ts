import type { ASTNode } from "@marcbachmann/cel-js";
import { childrenOf, nameOf, walk } from "./ast.js";
import { loadCel } from "./packages.js";
import { type Policy, parsePolicy } from "./policy.js";
import { formatProblem, PolicyError, type Problem } from "./problem.js";

export interface PolicyCheck {
  readonly name: string;
  /** Absent when the policy is refused. */
  readonly policy?: Policy;
  /** Why it is refused. */
  readonly problems: readonly Problem[];
  /** What loads and yet may not do what its author expects. */
  readonly warnings: readonly Problem[];
}

/** Everything that can be said about a policy without a call: form, types, rules that can never matter, likely mistakes. */
export function checkPolicy(text: string, name?: string): PolicyCheck {
  const shown = name ?? "countersign.policy.yaml";
  try {
    const policy = parsePolicy(text, shown);
    return { name: shown, policy, problems: [], warnings: warningsOf(policy) };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return { name: shown, problems: error.problems, warnings: [] };
  }
}

/** The check as text for a terminal, one line for each problem and warning. */
export function formatCheck({ name, policy, problems, warnings }: PolicyCheck): string {
  const lines = [
    ...problems.map((problem) => formatProblem(name, problem)),
    ...warnings.map((warning) => `warning: ${formatProblem(name, warning)}`),
  ];
  if (policy !== undefined) lines.push(`${name}: ${policy.rules.length} rules, version ${policy.version.slice(0, 12)}`);
  return lines.join("\n");
}

/** An argument that a call does not have makes its rule ask a person, on every call of every tool that the rule does not exclude. */
function warningsOf(policy: Policy): Problem[] {
  const { parse } = loadCel();
  return policy.rules.flatMap((rule, at) => {
    const { ast } = parse(String(rule.when));
    if (namesTool(ast)) return [];
    return unguardedArgs(ast).map((name) => ({
      path: `rules[${at}].when`,
      message: `The rule "${rule.id}" reads ${name} of every tool; calls without it will ask a person.`,
      suggestion: `Add has(${name}), or name the tool.`,
    }));
  });
}

function namesTool(ast: ASTNode): boolean {
  let named = false;
  walk(ast, (node) => {
    if (node.op === "id" && (node.args === "tool" || node.args === "app")) named = true;
  });
  return named;
}

function unguardedArgs(ast: ASTNode): string[] {
  const read = new Set<string>();
  const guarded = new Set<string>();
  const visit = (node: ASTNode, inHas: boolean): void => {
    const name = nameOf(node);
    if (name?.startsWith("args.")) {
      (inHas ? guarded : read).add(name);
      return;
    }
    for (const child of childrenOf(node)) visit(child, node.op === "call" && node.args[0] === "has");
  };
  visit(ast, false);
  return [...read].filter((name) => ![...guarded].some((guard) => name === guard || name.startsWith(`${guard}.`)));
}
