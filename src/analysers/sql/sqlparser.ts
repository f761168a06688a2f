import { noteTables } from "./functions.js";
import { type Lexed, type LexRules, lex, nesting, split } from "./lexer.js";
import { lazyParser, reasonOf } from "./load-parser.js";
import { notePragma } from "./pragma.js";
import { classify } from "./sqlparser-statements.js";
import { offsets, type SqlparserContext } from "./sqlparser-tree.js";
import { type SqlStatement, StatementNotes, type Unread } from "./statement.js";
import { list } from "./tree.js";

const load = lazyParser("MySQL and SQLite", "@guanmingchiu/sqlparser-ts", async () => {
  const { init, parse } = await import("@guanmingchiu/sqlparser-ts");
  await init();
  return parse as (sql: string, dialect: "mysql" | "sqlite") => unknown;
});

/** The wasm stack overflows at some 600 levels and the parser is lost for good then, so deep statements never reach it. */
const MAX_NESTING = 300;
/** Its trees are large: this many words and signs hold the event loop for about a second. */
const MAX_TOKENS = 60_000;

/**
 * The statements of a MySQL or SQLite text, or a sentence that says why they cannot be read. The text is cut into statements by
 * our own lexer and each must be exactly one to the parser: where the two disagree, nothing is believed.
 */
export async function readSqlparser(
  sql: string,
  dialect: "mysql" | "sqlite",
): Promise<readonly SqlStatement[] | Unread> {
  const loaded = await load();
  if ("sentence" in loaded) return loaded;
  const rules: LexRules = { dialect, backslashEscapes: dialect === "mysql" };
  const lexed = lex(sql, rules);
  if (lexed.unterminated !== undefined) {
    const fragment = sql.slice(lexed.unterminated);
    return { code: "unterminated", sentence: "A quote or comment is opened and never closed.", fragment };
  }
  if (lexed.tokens.length > MAX_TOKENS) {
    return { code: "too_long", sentence: `There are more than ${MAX_TOKENS} words and signs in this text.` };
  }
  const executable = dialect === "mysql" ? /\/\*M?![\s\S]*?\*\//.exec(sql)?.[0] : undefined;
  if (executable !== undefined) {
    const sentence = "Some server versions run what is in this comment, others do not.";
    return { code: "executable_comment", sentence, fragment: executable };
  }
  if (dialect === "mysql" && ambiguous(sql, lexed)) {
    const sentence = "A backslash ends or keeps open a string depending on the server's sql_mode.";
    return { code: "ambiguous_backslash", sentence, fragment: sql };
  }
  return split(sql, lexed.tokens).map(({ text, tokens }) => {
    const notes = new StatementNotes(text);
    if (dialect === "mysql") noteHints(notes);
    if (dialect === "sqlite" && /^PRAGMA\s/i.test(text)) {
      notePragma(notes);
    } else if (nesting(sql, tokens) > MAX_NESTING) {
      notes.uninspectable("too_deep", "This statement nests too deeply to be read.");
    } else {
      read(notes, dialect, loaded.parser);
    }
    return notes.statement();
  });
}

function read(
  notes: StatementNotes,
  dialect: "mysql" | "sqlite",
  parse: (sql: string, dialect: "mysql" | "sqlite") => unknown,
): void {
  let statements: readonly unknown[];
  try {
    statements = list(parse(notes.text, dialect));
  } catch (error) {
    const reason = reasonOf(error).replace("sql parser error: ", "");
    notes.uninspectable(
      "unparsable",
      `The ${dialect === "mysql" ? "MySQL" : "SQLite"} parser could not read this: ${reason}.`,
    );
    return;
  }
  if (statements.length !== 1) {
    notes.uninspectable("unparsable", "Where this statement ends is not certain.");
    return;
  }
  const context: SqlparserContext = { notes, dialect, classify, offset: offsets(notes.text) };
  classify(statements[0], context, new Set());
  noteTables(notes, dialect);
}

/** Optimizer hints only advise, except those that set variables. */
function noteHints(notes: StatementNotes): void {
  const hint = /\/\*\+[^*]*\bSET_VAR\b[\s\S]*?\*\//i.exec(notes.text)?.[0];
  if (hint !== undefined) notes.add("R3", "hint_sets", "This hint sets a server variable for the statement.", hint);
}

/** Whether taking backslashes literally would end strings elsewhere and still leave something that runs. */
function ambiguous(sql: string, lexed: Lexed): boolean {
  const literal = lex(sql, { dialect: "mysql", backslashEscapes: false });
  const ends = ({ tokens }: Lexed): string => tokens.map(({ end }) => end).join();
  if (ends(literal) === ends(lexed)) return false;
  // A lone statement with an open quote is an error there, and nothing runs.
  const several = literal.tokens.some((token) => sql[token.start] === ";");
  return literal.unterminated === undefined || several;
}
