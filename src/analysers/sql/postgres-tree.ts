import { noteFunction } from "./functions.js";
import { type StatementNotes, tableName } from "./statement.js";
import { isTree, list, type Tree, text, tree } from "./tree.js";

/** Names that a WITH list defines here; they hide tables of the same name. */
export type Scope = ReadonlySet<string>;

export interface PostgresContext {
  readonly notes: StatementNotes;
  /** The source from a byte offset on, as far as a fragment reaches. */
  readonly slice: (at: number) => string;
  /** Notes what a nested statement does. */
  readonly classify: (node: unknown, context: PostgresContext, scope: Scope) => void;
}

/** Operators of Postgres and of the usual extensions (trigrams, vectors). Another may be anybody's function. */
const OPERATORS = new Set(
  `= <> != < > <= >= + - * / % ^ || |/ ||/ @ & | # ~ << >> ~~ !~~ ~~* !~~* ~* !~ !~* -> ->> #> #>> @> <@ ? ?| ?& @? @@ @@@ #- && -|-
  &< &> <<| |>> &<| |&> <-> <#> <=> <+> <~> <%> <% %> <<% %>> ~= ~>=~ ~<=~ ~>~ ~<~ ^@ !! ## ?# ?- ?|| ?-| <<= >>=`.split(
    /\s+/,
  ),
);

/** Notes every table, function, operator and nested statement below a node. */
export function walk(value: unknown, context: PostgresContext, scope: Scope): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, context, scope);
    return;
  }
  if (!isTree(value)) return;
  if (typeof value.relname === "string") {
    const name = relationName(value);
    if (!scope.has(name)) context.notes.tables.add(name);
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    if (key === "larg" || key === "rarg") walkSelect(child, context, scope);
    else if (/^[A-Z]\w*Stmt$/.test(key)) context.classify({ [key]: child }, context, scope);
    else visit(key, child, context, scope);
  }
}

function visit(key: string, child: unknown, context: PostgresContext, scope: Scope): void {
  if (key === "FuncCall") noteCall(tree(child), context);
  if (key === "RangeTableSample") noteSample(tree(child), context);
  if (key === "A_Expr") noteOperator(tree(child), context);
  walk(child, context, scope);
}

/** A SELECT's own effects, then everything in it, with its WITH names in force. */
export function walkSelect(value: unknown, context: PostgresContext, outer: Scope): void {
  const { withClause, intoClause, lockingClause, ...rest } = tree(value);
  const scope = walkWith(withClause, context, outer);
  if (intoClause !== undefined) {
    context.notes.add("R3", "select_into", "SELECT … INTO creates a table.");
    noteWrite(tree(intoClause).rel, context);
  }
  for (const lock of list(lockingClause)) {
    context.notes.add("R1", "row_lock", "The rows read stay locked until the transaction ends.");
    walk(tree(tree(lock).LockingClause).lockedRels, context, scope);
  }
  walk(rest, context, scope);
}

/** Walks a WITH list and returns the names in force after it. A plain WITH does not see its own name, a recursive one sees all. */
export function walkWith(value: unknown, context: PostgresContext, outer: Scope): Scope {
  const { ctes, recursive } = tree(value);
  const entries = list(ctes).map((entry) => tree(tree(entry).CommonTableExpr));
  const scope = new Set(outer);
  if (recursive === true) for (const entry of entries) scope.add(tableName([text(entry.ctename)]));
  for (const { ctename, ctequery, ...rest } of entries) {
    walk(ctequery, context, new Set(scope));
    walk(rest, context, scope);
    scope.add(tableName([text(ctename)]));
  }
  return scope;
}

/** A relation that is written is always the real table: WITH names cannot be targets. */
export function noteWrite(relation: unknown, context: PostgresContext): void {
  if (typeof tree(relation).relname === "string") context.notes.writesTo(relationName(tree(relation)));
}

function relationName(relation: Tree): string {
  return tableName(
    [relation.catalogname, relation.schemaname, relation.relname].map(text).filter((part) => part !== ""),
  );
}

export function strings(nodes: unknown): readonly string[] {
  return list(nodes).map((node) => text(tree(tree(node).String).sval));
}

function noteCall(call: Tree, context: PostgresContext): void {
  // SQL-spelled calls such as EXTRACT(… FROM …) carry their place too, so the first word there is what the author wrote.
  const spelled = /^(?:[\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")*"|\s*\.\s*)+/u.exec(
    context.slice(Number(call.location)),
  )?.[0];
  noteFunction(context.notes, "postgres", strings(call.funcname), spelled ?? context.notes.text);
}

/** The two methods of Postgres itself only read; a further one is somebody's function. */
function noteSample(sample: Tree, context: PostgresContext): void {
  const method = strings(sample.method);
  if (!/^(bernoulli|system)$/.test(method.join(".")))
    noteFunction(context.notes, "postgres", method, context.notes.text);
}

function noteOperator(expression: Tree, context: PostgresContext): void {
  const parts = strings(expression.name);
  const symbol = parts.at(-1) ?? "";
  const own = parts.length === 1 || parts[0] === "pg_catalog";
  // Word operators (LIKE, BETWEEN, IN, DISTINCT) are the grammar's own.
  if (own && (OPERATORS.has(symbol) || /[A-Z]/.test(symbol))) return;
  const spelled = /^OPERATOR\s*\([^)]*\)/i.exec(context.slice(Number(expression.location)))?.[0] ?? symbol;
  context.notes.add("R3", "unknown_operator", `The operator ${symbol} is not known to be free of effects.`, spelled);
}
