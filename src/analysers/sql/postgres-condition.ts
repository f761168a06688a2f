import { type Comparison, type Condition, type Constant, isSelective } from "./condition.js";
import { type PostgresContext, strings } from "./postgres-tree.js";
import { list, someNode, tagged, text, tree } from "./tree.js";

/** Whether a WHERE clause can leave rows out; notes it when it is there and cannot. */
export function selects(where: unknown, context: PostgresContext): boolean {
  if (where === undefined) return false;
  if (isSelective(condition(where))) return true;
  const start = firstLocation(where);
  const fragment = start === undefined ? undefined : context.slice(start);
  context.notes.add("R4", "where_always_true", "The WHERE clause can be true for every row.", fragment);
  return false;
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  "=": "=",
  "<>": "<>",
  "!=": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};

function condition(node: unknown): Condition {
  const [type, body] = tagged(node);
  switch (type) {
    case "A_Const":
      return { type: "constant", value: constant(body) };
    case "ColumnRef":
      return { type: "column", name: strings(body.fields).join(".") };
    case "TypeCast":
      return literalCast(body) ?? opaque(node);
    case "BoolExpr": {
      const operands = list(body.args).map(condition);
      if (body.boolop === "NOT_EXPR" && operands[0] !== undefined) return { type: "not", operand: operands[0] };
      return { type: body.boolop === "AND_EXPR" ? "and" : "or", operands };
    }
    case "NullTest": {
      const test: Condition = { type: "isNull", operand: condition(body.arg) };
      return body.nulltesttype === "IS_NULL" ? test : { type: "not", operand: test };
    }
    case "BooleanTest": {
      const operand = condition(body.arg);
      if (body.booltesttype === "IS_TRUE" || body.booltesttype === "IS_NOT_FALSE") return operand;
      if (body.booltesttype === "IS_FALSE" || body.booltesttype === "IS_NOT_TRUE") return { type: "not", operand };
      return opaque(node);
    }
    case "A_Expr":
      return expression(node);
    default:
      return opaque(node);
  }
}

function expression(node: unknown): Condition {
  const body = tree(tree(node).A_Expr);
  const symbol = strings(body.name).at(-1) ?? "";
  const operator = COMPARISONS[symbol];
  if (body.kind === "AEXPR_OP" && operator !== undefined) {
    const [left, right] = [condition(body.lexpr), condition(body.rexpr)];
    // (a = '') = '' compares a truth with a value: what it selects depends on conversions, so it proves nothing.
    if (isTruth(left) || isTruth(right)) return { ...opaque(node), columns: false };
    return { type: "compare", operator, left, right };
  }
  if (body.kind === "AEXPR_IN") return inList(body.lexpr, list(tree(tree(body.rexpr).List).items), symbol === "<>");
  if (body.kind === "AEXPR_BETWEEN" || body.kind === "AEXPR_NOT_BETWEEN") {
    const [low, high] = list(tree(tree(body.rexpr).List).items);
    const left = condition(body.lexpr);
    const inside: Condition = {
      type: "and",
      operands: [
        { type: "compare", operator: ">=", left, right: condition(low) },
        { type: "compare", operator: "<=", left, right: condition(high) },
      ],
    };
    return body.kind === "AEXPR_BETWEEN" ? inside : { type: "not", operand: inside };
  }
  if ((body.kind === "AEXPR_LIKE" || body.kind === "AEXPR_ILIKE") && !symbol.startsWith("!")) {
    const pattern = condition(body.rexpr);
    // A pattern of percent signs matches every text.
    if (pattern.type === "constant" && /^%+$/.test(String(pattern.value))) return { type: "constant", value: true };
  }
  return opaque(node);
}

function inList(left: unknown, items: readonly unknown[], negated: boolean): Condition {
  const operand = condition(left);
  const operands = items.map(
    (item): Condition => ({ type: "compare", operator: "=", left: operand, right: condition(item) }),
  );
  const any: Condition = { type: "or", operands };
  return negated ? { type: "not", operand: any } : any;
}

/** `'t'::boolean` and `true::bool` are as constant as `true`. */
function literalCast(body: Readonly<Record<string, unknown>>): Condition | undefined {
  const [type, inner] = tagged(body.arg);
  if (type !== "A_Const") return undefined;
  const value = constant(inner);
  if (strings(tree(body.typeName).names).at(-1) !== "bool") return { type: "constant", value };
  if (typeof value !== "string") return { type: "constant", value: value === null ? null : Boolean(value) };
  return { type: "constant", value: /^\s*(t|y|on|1)/i.test(value) };
}

function constant(body: Readonly<Record<string, unknown>>): Constant {
  // The parser leaves zero, false and empty out of its JSON.
  if (body.isnull === true) return null;
  if ("ival" in body) return Number(tree(body.ival).ival ?? 0);
  if ("fval" in body) return Number(tree(body.fval).fval);
  if ("boolval" in body) return tree(body.boolval).boolval === true;
  if ("sval" in body) return text(tree(body.sval).sval);
  return text(tree(body.bsval).bsval);
}

function opaque(node: unknown): Extract<Condition, { type: "opaque" }> {
  const key = JSON.stringify(node, (name, value: unknown) => (name === "location" ? undefined : value)) ?? "";
  return { type: "opaque", key, columns: someNode(node, (inner) => "ColumnRef" in inner || "CurrentOfExpr" in inner) };
}

function isTruth(part: Condition): boolean {
  return part.type !== "constant" && part.type !== "column" && part.type !== "opaque";
}

function firstLocation(node: unknown): number | undefined {
  let first: number | undefined;
  someNode(node, ({ location }) => {
    if (typeof location === "number" && location >= 0) first = Math.min(first ?? location, location);
    return false;
  });
  return first;
}
