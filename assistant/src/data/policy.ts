import { describeSql, type SqlDialect, type SqlStatement } from "countersign/analysers";

export interface DataPolicy {
  /** Off: nothing is changed, whoever approves it. */
  readonly writes?: boolean;
  /** More rows than this are refused. */
  readonly maxAffectedRows?: number;
  /** Only these tables may be changed; all when left out. */
  readonly allowedTables?: readonly string[];
  /** Off: changes run unasked, unless what they do cannot be undone. */
  readonly requireConfirmation?: boolean;
}

export const MAX_AFFECTED_ROWS = 1_000;

/** Every statement of a text, or an error that says why it may not run. What cannot be read may not. */
export async function readSql(sql: string, dialect: SqlDialect): Promise<readonly SqlStatement[]> {
  const described = await describeSql(sql, dialect);
  if (described.inspectable) return described.statements;
  const findings = [...described.findings, ...described.statements.flatMap((statement) => statement.findings)];
  throw new Error(`This SQL cannot be judged, so it is not run. ${findings.map(({ text }) => text).join(" ")}`);
}

/** A text that only reads: no statement in it writes or calls anything that does. */
export function checkReads(statements: readonly SqlStatement[]): void {
  const other = statements.find(({ writes, riskTier }) => writes.length > 0 || riskTier !== "R0");
  if (other !== undefined) throw new Error(`This does more than read: ${other.text}`);
}

export function checkWrites(statements: readonly SqlStatement[], policy: DataPolicy): void {
  if (policy.writes === false) throw new Error("Changes to this database are switched off.");
  if (statements.length !== 1) throw new Error("One statement at a time, so that a person sees what each one does.");
  const allowed = policy.allowedTables?.map((table) => table.toLowerCase());
  const outside = statements
    .flatMap(({ writes }) => writes)
    .find((table) => allowed?.includes(table.toLowerCase()) === false);
  if (outside !== undefined) throw new Error(`The table ${JSON.stringify(outside)} may not be changed here.`);
}
