import type { ASTNode } from "@marcbachmann/cel-js";
import { FIELDS, type Field } from "./facts.js";

/** The nodes directly below one node. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "list":
      return node.args;
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    default:
      return node.args;
  }
}

export function walk(node: ASTNode, look: (node: ASTNode) => void): void {
  look(node);
  for (const child of childrenOf(node)) walk(child, look);
}

/** The parts that all have to be true. */
export function conjunctsOf(node: ASTNode): readonly ASTNode[] {
  return node.op === "&&" ? node.args.flatMap(conjunctsOf) : [node];
}

/** Fields named anywhere. A variable of a macro with a field's name counts too, which only costs a little work. */
export function fieldsOf(node: ASTNode): Set<Field> {
  const fields = new Set<Field>();
  walk(node, (inner) => {
    if (inner.op === "id" && Object.hasOwn(FIELDS, inner.args)) fields.add(inner.args as Field);
  });
  return fields;
}

/** `tool` for `tool`, `time.weekday` for `time.weekday`. */
export function nameOf(node: ASTNode): string | undefined {
  if (node.op === "id") return node.args;
  if (node.op !== ".") return undefined;
  const base = nameOf(node.args[0]);
  return base === undefined ? undefined : `${base}.${node.args[1]}`;
}

/** The words in a literal or a list of literals. */
export function wordsIn(node: ASTNode): readonly { readonly word: string; readonly node: ASTNode }[] {
  if (node.op === "value") return typeof node.args === "string" ? [{ word: node.args, node }] : [];
  return node.op === "list" ? node.args.flatMap(wordsIn) : [];
}

/** Macros that run once per element, inside one another. */
export function loopDepth(node: ASTNode): number {
  const below = Math.max(0, ...childrenOf(node).map(loopDepth));
  return below + (node.op === "rcall" && LOOPS.includes(node.args[0]) ? 1 : 0);
}

export const LOOPS: readonly string[] = ["all", "exists", "exists_one", "filter", "map"];
