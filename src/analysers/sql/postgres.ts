import { lazyParser } from "./load-parser.js";
import { classify, type PostgresContext } from "./postgres-statements.js";
import { noteTables } from "./functions.js";
import { type SqlStatement, StatementNotes } from "./statement.js";
import { list, tree } from "./tree.js";

const load = lazyParser("Postgres", "libpg-query", async () => {
  const { loadModule, parseSync } = await import("libpg-query");
  await loadModule();
  return parseSync;
});

/** The statements of a text as Postgres 18's own grammar reads them, or a sentence that says why it cannot. */
export async function readPostgres(sql: string): Promise<readonly SqlStatement[] | string> {
  const loaded = await load();
  if ("problem" in loaded) return loaded.problem;
  let stmts: readonly unknown[];
  try {
    stmts = list(tree(loaded.parser(sql)).stmts);
  } catch (error) {
    return `The Postgres parser could not read this: ${String((error as Error)?.message ?? error)}.`;
  }
  const bytes = Buffer.from(sql);
  return stmts.map((raw) => {
    const { stmt, stmt_location: from, stmt_len: length } = tree(raw);
    const start = typeof from === "number" ? from : 0;
    const end = typeof length === "number" && length > 0 ? start + length : bytes.length;
    const context: PostgresContext = {
      notes: new StatementNotes(bytes.toString("utf8", start, end).trim()),
      // The parser counts bytes; an end before the start means "to the end of the statement".
      slice: (at) => bytes.toString("utf8", Math.max(at, start), end).trimEnd(),
    };
    classify(stmt, context, new Set());
    noteTables(context.notes, "postgres");
    return context.notes.statement();
  });
}
