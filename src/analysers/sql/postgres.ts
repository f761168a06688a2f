import { noteTables } from "./functions.js";
import { lazyParser, reasonOf } from "./load-parser.js";
import { classify } from "./postgres-statements.js";
import type { PostgresContext } from "./postgres-tree.js";
import { type SqlStatement, StatementNotes, type Unread } from "./statement.js";
import { list, tree } from "./tree.js";

const load = lazyParser("Postgres", "libpg-query", async () => {
  const { loadModule, parseSync } = await import("libpg-query");
  await loadModule();
  return parseSync;
});

/** In bytes, and more than any fragment keeps: a cut through a character never shows. */
const MAX_SLICE = 2000;

/** The statements of a text as Postgres 18's own grammar reads them, or a sentence that says why it cannot. */
export async function readPostgres(sql: string): Promise<readonly SqlStatement[] | Unread> {
  const loaded = await load();
  if ("sentence" in loaded) return loaded;
  let stmts: readonly unknown[];
  try {
    stmts = list(tree(loaded.parser(sql)).stmts);
  } catch (error) {
    const sentence = `The Postgres parser could not read this: ${reasonOf(error)}.`;
    return { code: "unparsable", sentence, fragment: sql };
  }
  const bytes = Buffer.from(sql);
  return stmts.map((raw) => {
    const { stmt, stmt_location: from, stmt_len: length } = tree(raw);
    const start = typeof from === "number" ? from : 0;
    const end = typeof length === "number" ? start + length : bytes.length;
    const context: PostgresContext = {
      notes: new StatementNotes(bytes.toString("utf8", start, end).trim()),
      // The parser counts bytes, not characters.
      slice: (at) => bytes.toString("utf8", Math.max(at, start), Math.min(at + MAX_SLICE, end)).trimEnd(),
      classify,
    };
    classify(stmt, context, new Set());
    noteTables(context.notes, "postgres");
    return context.notes.statement();
  });
}
