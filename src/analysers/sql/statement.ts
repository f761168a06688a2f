import { type Finding, highestTier, type RiskTier } from "../../core/risk.js";

export type SqlDialect = "postgres" | "mysql" | "sqlite";

/**
 * What one statement does, for policies. The ladder every dialect follows; the worst part of a statement decides:
 *
 * | Tier | Statements |
 * |---|---|
 * | R0 | SELECT, VALUES, SHOW, DESCRIBE, plain EXPLAIN, reading PRAGMA, BEGIN, SAVEPOINT, cursors over a read |
 * | R1 | SELECT … FOR SHARE or UPDATE, COMMIT, ROLLBACK, LISTEN, USE |
 * | R2 | INSERT of a few rows, SET of a session value, LOCK, ANALYZE, VACUUM, COPY … TO STDOUT, moving a sequence |
 * | R3 | UPDATE with a selecting WHERE, upsert, INSERT … SELECT, COPY FROM, CREATE, ALTER that keeps data, GRANT, REVOKE, SET ROLE, |
 * |    | NOTIFY, reading server files or password tables, any function not known to be pure |
 * | R4 | DELETE, TRUNCATE, DROP, UPDATE of every row, ALTER that loses data, superuser rights, server files written, programs started, |
 * |    | code stored or run unseen (DO, CALL, EXECUTE, CREATE FUNCTION), catalogues written, whatever cannot be parsed |
 */
export interface SqlStatement {
  /** The verb, lower case: `select`, `delete`, `create_table`; `unknown` when no parser could read it. */
  readonly kind: string;
  readonly riskTier: RiskTier;
  readonly inspectable: boolean;
  /**
   * Every table named outside of its own WITH list, as the dialect folds names: Postgres and SQLite lower case what is not
   * case-sensitive there, MySQL keeps the spelling. A part that itself holds a dot is quoted.
   */
  readonly tables: readonly string[];
  /** Those of `tables` that the statement changes. */
  readonly writes: readonly string[];
  readonly functions: readonly string[];
  /** A WHERE that can leave rows out. `WHERE 1=1` is none. */
  readonly hasWhere: boolean;
  /** The statement as written. */
  readonly text: string;
  readonly findings: readonly Finding[];
}

/** Long fragments are cut at their end, so that they stay exact parts of the input. */
const MAX_FRAGMENT = 400;

/** Collects what the walk over one statement's tree sees. Findings only ever add up. */
export class StatementNotes {
  kind = "unknown";
  inspectable = true;
  hasWhere = false;
  readonly tables = new Set<string>();
  readonly writes = new Set<string>();
  readonly functions = new Set<string>();
  private readonly findings: Finding[] = [];

  constructor(readonly text: string) {}

  /** The outermost verb names the statement; verbs nested in it only add findings. */
  name(kind: string): void {
    if (this.kind === "unknown") this.kind = kind;
  }

  add(riskTier: RiskTier, code: string, text: string, fragment: string = this.text): void {
    const cut = fragment.slice(0, MAX_FRAGMENT);
    // A cut between two halves of one character would no longer be well-formed text.
    const whole = /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
    const known = this.findings.some((found) => found.code === code && found.fragment === whole);
    if (!known) this.findings.push({ code, riskTier, text, ...(whole === "" ? {} : { fragment: whole }) });
  }

  uninspectable(code: string, text: string, fragment?: string): void {
    this.inspectable = false;
    this.add("R4", code, text, fragment);
  }

  writesTo(table: string): void {
    this.tables.add(table);
    this.writes.add(table);
  }

  /** A plain EXPLAIN plans but does not run: what its statement would do is no effect, the functions planning may call are. */
  planOnly(inner: StatementNotes): void {
    for (const table of inner.tables) this.tables.add(table);
    for (const name of inner.functions) this.functions.add(name);
    if (!inner.inspectable) this.inspectable = false;
    for (const found of inner.findings) {
      if (FUNCTION_CODES.has(found.code) || !inner.inspectable) this.findings.push(found);
    }
  }

  statement(): SqlStatement {
    return {
      kind: this.kind,
      riskTier: this.inspectable ? highestTier(this.findings.map((found) => found.riskTier)) : "R4",
      inspectable: this.inspectable,
      tables: [...this.tables],
      writes: [...this.writes],
      functions: [...this.functions],
      hasWhere: this.hasWhere,
      text: this.text,
      findings: this.findings,
    };
  }
}

const FUNCTION_CODES = new Set(["unknown_function", "effectful_function", "unknown_operator"]);

export function tableName(parts: readonly string[]): string {
  return parts.map((part) => (/[."]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)).join(".");
}
