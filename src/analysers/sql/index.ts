import type { Analysis, Finding } from "../../core/risk.js";
import { highestTier } from "../../core/risk.js";
import { reasonOf } from "./load-parser.js";
import { readPostgres } from "./postgres.js";
import { readSqlparser } from "./sqlparser.js";
import { cut, type SqlDialect, type SqlStatement, type Unread } from "./statement.js";

export type { SqlDialect, SqlStatement } from "./statement.js";

/** What a text does, statement by statement, or the finding that says why it cannot be told. */
export type SqlDescription =
  | { readonly inspectable: true; readonly statements: readonly SqlStatement[] }
  | {
      readonly inspectable: false;
      readonly statements: readonly SqlStatement[];
      readonly findings: readonly Finding[];
    };

/** Parsing holds the event loop, about a second for a megabyte, so larger texts than this are asked about unread. */
const MAX_BYTES = 256 * 1024;
const MAX_STATEMENTS = 1000;
const EMPTY: Unread = { code: "empty", sentence: "There is no statement in this text." };

/**
 * How dangerous a SQL text is: every statement counts and the worst decides. Never throws; a text that the dialect's own grammar
 * cannot read, or whose parser is not installed, is R4 and not inspectable.
 */
export async function analyseSql(text: string, dialect: SqlDialect): Promise<Analysis> {
  const description = await describeSql(text, dialect);
  const findings = [
    ...(description.inspectable ? [] : description.findings),
    ...description.statements.flatMap((statement) => statement.findings),
  ];
  return {
    riskTier: description.inspectable
      ? highestTier(description.statements.map((statement) => statement.riskTier))
      : "R4",
    inspectable: description.inspectable,
    findings,
  };
}

/** The operations and tables of a SQL text, for policies. Never throws. */
export async function describeSql(text: string, dialect: SqlDialect): Promise<SqlDescription> {
  const limit = overLimits(text);
  if (limit !== undefined) return unreadable({ code: "unreadable", sentence: limit });
  try {
    const statements = await read(text, dialect);
    if ("sentence" in statements) return unreadable(statements);
    if (statements.length === 0) return unreadable(EMPTY);
    if (statements.length > MAX_STATEMENTS) {
      return unreadable({ code: "too_many", sentence: `There are more than ${MAX_STATEMENTS} statements.` });
    }
    if (statements.every((statement) => statement.inspectable)) return { inspectable: true, statements };
    return { inspectable: false, statements, findings: [] };
  } catch (error) {
    // A tree too deep to walk ends here; whatever else might, must not pass either.
    const sentence = `This text could not be analysed: ${reasonOf(error)}.`;
    return unreadable({ code: "unreadable", sentence, fragment: text });
  }
}

async function read(text: string, dialect: SqlDialect): Promise<readonly SqlStatement[] | Unread> {
  switch (dialect) {
    case "postgres":
      return readPostgres(text);
    case "mysql":
    case "sqlite":
      return readSqlparser(text, dialect);
    default:
      return {
        code: "unknown_dialect",
        sentence: `The SQL dialect "${String(dialect)}" is not known: postgres, mysql and sqlite are.`,
      };
  }
}

function overLimits(text: unknown): string | undefined {
  if (typeof text !== "string") return "This is not a text.";
  if (text.includes("\0")) return "The text holds a NUL character, where some readers stop.";
  if (/\p{Surrogate}/u.test(text)) return "The text holds half a character.";
  if (Buffer.byteLength(text) > MAX_BYTES) return `The text is longer than ${MAX_BYTES} bytes.`;
  return undefined;
}

function unreadable({ code, sentence, fragment = "" }: Unread): SqlDescription {
  const part = cut(fragment);
  const finding: Finding = { code, riskTier: "R4", text: sentence, ...(part === "" ? {} : { fragment: part }) };
  return { inspectable: false, statements: [], findings: [finding] };
}
