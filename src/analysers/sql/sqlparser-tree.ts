import { noteFunction } from "./functions.js";
import { type StatementNotes, tableName } from "./statement.js";
import { isTree, list, type Tree, tagged, text, tree } from "./tree.js";

export type Scope = ReadonlySet<string>;

export interface SqlparserContext {
  readonly notes: StatementNotes;
  readonly dialect: "mysql" | "sqlite";
  /** Where a place named by the parser is in the statement's text. */
  readonly offset: (place: unknown) => number;
  /** Notes what a nested statement does. */
  readonly classify: (node: unknown, context: SqlparserContext, scope: Scope) => void;
}

const NESTED = new Set(["Insert", "Update", "Delete", "Merge"]);

/** Notes every table, function and nested statement below a node. */
export function walk(value: unknown, context: SqlparserContext, scope: Scope): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, context, scope);
    return;
  }
  if (!isTree(value)) return;
  if ("body" in value) return walkQuery(value, context, scope);
  for (const [key, child] of Object.entries(value)) {
    if (NESTED.has(key) && isTree(child)) nested(key, child, context, scope);
    else if (key === "Table") noteTable(tree(child), context, scope);
    else {
      if (key === "Function") noteCall(tree(child).name, context);
      if (key === "into" && isTree(child)) noteInto(child, context);
      if (key === "op" && child === "Assignment")
        context.notes.add("R1", "set_variable", "This sets a variable of the session.");
      walk(child, context, scope);
    }
  }
}

/** A data change inside a query is wrapped once more than at the top. */
function nested(key: string, child: Tree, context: SqlparserContext, scope: Scope): void {
  context.classify(isTree(child[key]) ? child : { [key]: child }, context, scope);
}

export function walkQuery(query: Tree, context: SqlparserContext, outer: Scope): void {
  const { with: withClause, locks, ...rest } = query;
  const scope = new Set(outer);
  const entries = list(tree(withClause).cte_tables).map(tree);
  const nameOf = (entry: Tree): string => fold(text(tree(tree(entry.alias).name).value), context);
  if (tree(withClause).recursive === true) for (const entry of entries) scope.add(nameOf(entry));
  for (const entry of entries) {
    walk(entry.query, context, new Set(scope));
    scope.add(nameOf(entry));
  }
  if (list(locks).length > 0)
    context.notes.add("R1", "row_lock", "The rows read stay locked until the transaction ends.");
  for (const child of Object.values(rest)) walk(isTree(child) || Array.isArray(child) ? child : [], context, scope);
}

function noteTable(table: Tree, context: SqlparserContext, scope: Scope): void {
  if (typeof table.table_name === "string") {
    const named = [table.schema_name, table.table_name].map(text).filter((part) => part !== "");
    return noteName(named, context, scope);
  }
  if (table.args !== undefined && table.args !== null) noteCall(table.name, context);
  else noteName(parts(table.name), context, scope);
  const { name: _name, ...rest } = table;
  walk(rest, context, scope);
}

function noteName(names: readonly string[], context: SqlparserContext, scope: Scope): void {
  const name = fold(tableName(names), context);
  if (!scope.has(name)) context.notes.tables.add(name);
}

/** A table that is written is always the real one: WITH names cannot be targets. */
export function noteWrite(name: unknown, context: SqlparserContext): void {
  const names = parts(name);
  if (names.length > 0) context.notes.writesTo(fold(tableName(names), context));
}

/** The tables of a FROM item and its joins. */
export function relations(item: unknown): readonly unknown[] {
  const { relation, joins } = tree(item);
  return [relation, ...list(joins).map((join) => tree(join).relation)].map((node) => tree(tree(node).Table).name);
}

export function parts(name: unknown): readonly string[] {
  return list(name).map((part) => {
    const [type, body] = tagged(part);
    return type === "Identifier" ? text(body.value) : text(tree(part).value);
  });
}

function noteCall(name: unknown, context: SqlparserContext): void {
  noteFunction(context.notes, context.dialect, parts(name), sourceOf(name, context));
}

function noteInto(into: Tree, context: SqlparserContext): void {
  const names = parts(into.name);
  if (names.length > 0 && names.every((name) => name.startsWith("@"))) {
    context.notes.add("R1", "set_variable", "This sets a variable of the session.");
  } else {
    context.notes.add("R4", "select_into", "SELECT … INTO writes what it reads to somewhere else.");
  }
}

/** SQLite does not tell table names apart by case, MySQL may. */
function fold(name: string, { dialect }: SqlparserContext): string {
  return dialect === "sqlite" ? name.toLowerCase() : name;
}

/** The source a node was read from, by the spans of what is in it; the whole statement if it carries none. */
export function sourceOf(node: unknown, { notes, offset }: SqlparserContext): string {
  let [from, to] = [Number.POSITIVE_INFINITY, 0];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isTree(value)) return;
    if (isTree(value.span)) {
      const [start, end] = [offset(value.span.start), offset(value.span.end)];
      if (start < from) from = start;
      if (end > to) to = end;
    }
    for (const child of Object.values(value)) visit(child);
  };
  visit(node);
  return from < to ? notes.text.slice(from, to) : notes.text;
}

/**
 * From the parser's places to ours: it counts lines by line feeds and columns by code points, both from one. Line zero means no
 * place. The table is built at the first use, as most statements need none.
 */
export function offsets(source: string): (place: unknown) => number {
  let table: { readonly starts: number[]; readonly points: number[] } | undefined;
  const build = (): { readonly starts: number[]; readonly points: number[] } => {
    const [starts, points]: [number[], number[]] = [[0], []];
    for (let at = 0; at < source.length; at += (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
      points.push(at);
      if (source[at] === "\n") starts.push(points.length);
    }
    points.push(source.length);
    return { starts, points };
  };
  return (place) => {
    const { line, column } = tree(place);
    if (typeof line !== "number" || typeof column !== "number" || line < 1) return Number.NaN;
    table ??= build();
    return table.points[(table.starts[line - 1] ?? 0) + column - 1] ?? Number.NaN;
  };
}
