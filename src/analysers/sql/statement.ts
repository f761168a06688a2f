import { atLeast, type Finding, type RiskTier } from "../../core/risk.js";

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

const MAX_FRAGMENT = 400;
/** Past this many findings a person learns nothing more; the tier still rises. */
const MAX_FINDINGS = 50;

/** Cut at its end, so that it stays an exact part of the input, and never through a character. */
export function cut(fragment: string): string {
  return fragment.slice(0, MAX_FRAGMENT).replace(/[\uD800-\uDBFF]$/, "");
}

/** Why a text could not be read into statements. */
export interface Unread {
  readonly code: string;
  readonly sentence: string;
  readonly fragment?: string;
}

/** Collects what the walk over one statement's tree sees. Findings only ever add up. */
export class StatementNotes {
  kind = "unknown";
  inspectable = true;
  hasWhere = false;
  readonly tables = new Set<string>();
  readonly writes = new Set<string>();
  readonly functions = new Set<string>();
  private tier: RiskTier = "R0";
  private readonly findings = new Map<string, Finding>();

  constructor(readonly text: string) {}

  /** The outermost verb names the statement; verbs nested in it only add findings. */
  name(kind: string): void {
    if (this.kind === "unknown") this.kind = kind;
  }

  add(riskTier: RiskTier, code: string, text: string, fragment: string = this.text): void {
    const part = cut(fragment);
    this.keep({ code, riskTier, text, ...(part === "" ? {} : { fragment: part }) });
  }

  private keep(finding: Finding): void {
    const raises = !atLeast(this.tier, finding.riskTier);
    if (raises) this.tier = finding.riskTier;
    const key = `${finding.code} ${finding.fragment}`;
    if (!this.findings.has(key) && (raises || this.findings.size < MAX_FINDINGS)) this.findings.set(key, finding);
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
    for (const found of inner.findings.values()) {
      if (FUNCTION_CODES.has(found.code) || !inner.inspectable) this.keep(found);
    }
  }

  statement(): SqlStatement {
    return {
      kind: this.kind,
      riskTier: this.inspectable ? this.tier : "R4",
      inspectable: this.inspectable,
      tables: [...this.tables],
      writes: [...this.writes],
      functions: [...this.functions],
      hasWhere: this.hasWhere,
      text: this.text,
      findings: [...this.findings.values()],
    };
  }
}

const FUNCTION_CODES = new Set(["unknown_function", "effectful_function", "unknown_operator"]);

export function tableName(parts: readonly string[]): string {
  return parts.map((part) => (/[."]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)).join(".");
}
