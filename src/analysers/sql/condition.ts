/**
 * A WHERE clause reduced to what decides whether it can leave rows out. Both parsers' trees are translated into it.
 * `opaque` is anything not understood: with `columns` it may select, without them it is the same for every row.
 */
export type Condition =
  | { readonly type: "constant"; readonly value: Constant }
  | { readonly type: "column"; readonly name: string }
  | { readonly type: "not"; readonly operand: Condition }
  | { readonly type: "and" | "or"; readonly operands: readonly Condition[] }
  | { readonly type: "compare"; readonly operator: Comparison; readonly left: Condition; readonly right: Condition }
  | { readonly type: "isNull"; readonly operand: Condition }
  | { readonly type: "opaque"; readonly key: string; readonly columns: boolean };

export type Comparison = "=" | "<>" | "<" | "<=" | ">" | ">=";
export type Constant = boolean | number | string | null;

/** Beyond this much work the clause counts as leaving no row out: doubt raises, and nobody can buy time with a long clause. */
const MAX_TRIALS = 20_000;
const MAX_VISITS = 1_000_000;
const MAX_UNKNOWNS = 64;

/**
 * Whether some row can fail the condition. The clause is tried with every mix of values that could matter: each constant a
 * column is compared with, the gaps between them, and true or false for each part not understood. Parts that are the same for
 * every row may turn out either way, so one way under which all rows pass is enough to answer no.
 */
export function isSelective(condition: Condition): boolean {
  const unknowns: Unknowns = { constants: new Map(), shared: new Set(), visits: 0 };
  collect(condition, unknowns);
  if (unknowns.constants.size > MAX_UNKNOWNS) return false;
  const choices = new Map([...unknowns.constants].map(([key, constants]) => [key, samples(constants)]));
  const outer = [...unknowns.shared];
  const inner = [...choices.keys()].filter((key) => !unknowns.shared.has(key));
  let trials = Math.min(MAX_TRIALS, Math.ceil(MAX_VISITS / unknowns.visits));
  for (const fixed of assignments(outer, choices)) {
    let someRowFails = false;
    for (const row of assignments(inner, choices)) {
      if (trials-- <= 0) return false;
      if (!truthy(evaluate(condition, new Map([...fixed, ...row])))) {
        someRowFails = true;
        break;
      }
    }
    if (!someRowFails) return false;
  }
  return true;
}

type Values = ReadonlyMap<string, Constant>;

function* assignments(keys: readonly string[], choices: ReadonlyMap<string, readonly Constant[]>): Generator<Values> {
  const [key, ...rest] = keys;
  if (key === undefined) {
    yield new Map();
    return;
  }
  for (const value of choices.get(key) ?? []) {
    for (const others of assignments(rest, choices)) yield new Map([...others, [key, value]]);
  }
}

interface Unknowns {
  /** For each unknown the constants it is compared with; true and false for a part that is one or the other. */
  readonly constants: Map<string, Set<Constant>>;
  /** Unknowns that have one value for all rows. */
  readonly shared: Set<string>;
  visits: number;
}

function collect(condition: Condition, unknowns: Unknowns): void {
  unknowns.visits++;
  switch (condition.type) {
    case "column":
      return note(unknowns, columnKey(condition.name), [0, 1], true);
    case "not":
      return collect(condition.operand, unknowns);
    case "and":
    case "or":
      for (const operand of condition.operands) collect(operand, unknowns);
      return;
    case "opaque":
      return note(unknowns, condition.key, [true, false], condition.columns);
    case "isNull":
      return note(unknowns, nullKey(condition.operand), [true, false], mentionsColumn(condition.operand));
    case "compare": {
      const form = comparisonForm(condition);
      if (form.type === "settled") return;
      const values = form.type === "ranged" ? [form.constant] : [true, false];
      return note(unknowns, form.key, values, mentionsColumn(condition));
    }
    default: // a constant leaves nothing open
  }
}

function note(unknowns: Unknowns, key: string, constants: readonly Constant[], perRow: boolean): void {
  const known = unknowns.constants.get(key) ?? new Set();
  for (const constant of constants) known.add(constant);
  unknowns.constants.set(key, known);
  if (!perRow) unknowns.shared.add(key);
}

type Compare = Extract<Condition, { type: "compare" }>;
type Form =
  | { readonly type: "settled"; readonly value: Constant }
  | { readonly type: "ranged"; readonly key: string; readonly constant: number | string; readonly operator: Comparison }
  | { readonly type: "atom"; readonly key: string; readonly negated: boolean };

const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  "=": "=",
  "<>": "<>",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** One comparison as: decided already, a column against a constant, or a question with its opposite. */
function comparisonForm({ left, right, operator }: Compare): Form {
  if (left.type === "constant") {
    if (right.type !== "constant")
      return comparisonForm({ type: "compare", operator: MIRRORED[operator], left: right, right: left });
    if (comparable(left.value, right.value))
      return { type: "settled", value: compare(left.value, right.value, operator) };
  }
  // `id = id` holds for every row that has an id; rows without one are not what a careful author meant by it.
  if (sameColumn(left, right) || keyOf(left) === keyOf(right))
    return { type: "settled", value: ["=", "<=", ">="].includes(operator) };
  if (left.type === "column" && right.type === "constant" && right.value !== null && typeof right.value !== "boolean") {
    return { type: "ranged", key: columnKey(left.name), constant: right.value, operator };
  }
  const positive = operator === "<>" ? "=" : operator === ">=" ? "<" : operator === "<=" ? ">" : operator;
  return { type: "atom", key: `${keyOf(left)} ${positive} ${keyOf(right)}`, negated: positive !== operator };
}

/** Databases convert types and fold case before they compare, so of unlike constants nothing is known. */
function comparable(left: Constant, right: Constant): boolean {
  if (left === null || right === null) return true;
  return typeof left === typeof right && typeof left !== "string";
}

function evaluate(condition: Condition, values: Values): Constant {
  switch (condition.type) {
    case "constant":
      return condition.value;
    case "column":
      return values.get(columnKey(condition.name)) ?? null;
    case "opaque":
      return values.get(condition.key) ?? null;
    case "not":
      return !truthy(evaluate(condition.operand, values));
    case "and":
      return condition.operands.every((operand) => truthy(evaluate(operand, values)));
    case "or":
      return condition.operands.some((operand) => truthy(evaluate(operand, values)));
    case "isNull":
      if (condition.operand.type === "constant") return condition.operand.value === null;
      return values.get(nullKey(condition.operand)) ?? null;
    case "compare": {
      const form = comparisonForm(condition);
      if (form.type === "settled") return form.value;
      if (form.type === "ranged") return compare(values.get(form.key) ?? null, form.constant, form.operator);
      return (values.get(form.key) === true) !== form.negated;
    }
  }
}

/** The given constants, a value between each two, and one beyond either end. */
function samples(constants: ReadonlySet<Constant>): readonly Constant[] {
  const all = [...constants];
  const numbers = all.filter((value) => typeof value === "number").sort((a, b) => a - b);
  const below = numbers.slice(0, 1).map((lowest) => lowest - 1);
  const upward = numbers.flatMap((value, index) => [value, (value + (numbers[index + 1] ?? value + 2)) / 2]);
  // The text just behind each constant stands for the gap after it, the empty one for the gap before the first.
  const texts = all.filter((value) => typeof value === "string").flatMap((value) => ["", value, `${value}\u0000`]);
  const booleans = all.filter((value) => typeof value === "boolean");
  return [...new Set<Constant>([...booleans, ...below, ...upward, ...texts])];
}

function compare(left: Constant, right: Constant, operator: Comparison): Constant {
  if (left === null || right === null) return null;
  const [a, b] = typeof left === typeof right ? [left, right] : [String(left), String(right)];
  switch (operator) {
    case "=":
      return a === b;
    case "<>":
      return a !== b;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
  }
}

function truthy(value: Constant): boolean {
  if (typeof value === "string") return Number.parseFloat(value) !== 0 && !Number.isNaN(Number.parseFloat(value));
  return value === true || (typeof value === "number" && value !== 0);
}

function mentionsColumn(condition: Condition): boolean {
  if (condition.type === "opaque") return condition.columns;
  if (condition.type === "compare") return mentionsColumn(condition.left) || mentionsColumn(condition.right);
  if (condition.type === "not" || condition.type === "isNull") return mentionsColumn(condition.operand);
  if (condition.type === "and" || condition.type === "or") return condition.operands.some(mentionsColumn);
  return condition.type === "column";
}

/** `id` and `t.id` are the same column as far as a lone target goes; `t.id` and `u.id` are a join. */
function sameColumn(left: Condition, right: Condition): boolean {
  if (left.type !== "column" || right.type !== "column") return false;
  const [long, short] = left.name.length > right.name.length ? [left.name, right.name] : [right.name, left.name];
  return long.endsWith(`.${short}`);
}

const columnKey = (name: string): string => `column ${name}`;
const nullKey = (operand: Condition): string => `null ${keyOf(operand)}`;

function keyOf(condition: Condition): string {
  return JSON.stringify(condition);
}
