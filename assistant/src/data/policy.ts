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

/** The one statement of a text that only reads: it neither writes nor calls anything that does. */
export function readingStatement(statements: readonly SqlStatement[]): SqlStatement {
  const other = statements.find(({ writes, riskTier }) => writes.length > 0 || riskTier !== "R0");
  if (other !== undefined) throw new Error(`This does more than read: ${other.text}`);
  return only(statements);
}

/** The one statement of a text that changes something, if it may. */
export function writingStatement(
  statements: readonly SqlStatement[],
  policy: DataPolicy,
  dialect: SqlDialect,
): SqlStatement {
  if (policy.writes === false) throw new Error("Changes to this database are switched off.");
  const statement = only(statements);
  checkTables(statement.writes, policy);
  if (dialect === "postgres") checkTriable(statement);
  return statement;
}

/** A change passed on by a foreign key counts like one that was written. */
export function checkTables(tables: readonly string[], { allowedTables }: DataPolicy): void {
  const allowed = allowedTables?.map((table) => table.toLowerCase());
  const outside = tables.find((table) => allowed?.includes(table.toLowerCase()) === false);
  if (outside !== undefined) throw new Error(`The table ${JSON.stringify(outside)} may not be changed here.`);
}

const TRIABLE: readonly string[] =
  "insert update delete merge select truncate drop alter_table rename create_table create_table_as create_index create_view comment".split(
    " ",
  );

/** A dry run happens before anybody was asked, so only what a transaction takes back whole may be tried. */
function checkTriable({ kind, findings, text }: SqlStatement): void {
  const reaches = findings.find(({ code }) => code === "effectful_function" || code === "unknown_function");
  if (reaches !== undefined) throw new Error(`It cannot be tried before it runs, so it is not run. ${reaches.text}`);
  if (!TRIABLE.includes(kind)) throw new Error(`Statements of this kind are not run here: ${text}`);
}

function only(statements: readonly SqlStatement[]): SqlStatement {
  const [first, ...more] = statements;
  if (first === undefined) throw new Error("There is no statement in this text.");
  if (more.length > 0) throw new Error("One statement at a time, so that a person sees what each one does.");
  return first;
}
