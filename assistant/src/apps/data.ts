import { type AnyTool, defineTool } from "countersign";
import { z } from "zod";
import type { Data, Effect } from "../data/data.js";
import {
  checkTables,
  type DataPolicy,
  MAX_AFFECTED_ROWS,
  readingStatement,
  readSql,
  writingStatement,
} from "../data/policy.js";
import type { Household } from "../household/household.js";
import { labelsOf } from "./labels.js";
import { digestOf, type RunContext } from "./stored.js";

const SAMPLE_BYTES = 50_000;

/**
 * The database tool: policy, parse, dry run, confirm, transaction, audit. The dry run is the preview, so a person is asked with the
 * exact rows in view, and asked anew when they have changed before it runs.
 */
export function dataTools(household: Household, data: Data, policy: DataPolicy = {}): readonly AnyTool[] {
  const limit = policy.maxAffectedRows ?? MAX_AFFECTED_ROWS;
  const { dialect } = data;
  const statement = z.object({ sql: z.string().min(1).max(50_000).meta({ format: dialect }) }).strict();
  const one = async (text: string) => writingStatement(await readSql(text, dialect), policy, dialect);
  const check = ({ rows, reached }: Effect): void => {
    if (rows > limit) throw new Error(`It would change ${rows} rows; at most ${limit} are allowed.`);
    checkTables(reached, policy);
  };

  return [
    defineTool({
      name: "data.query",
      title: { en: "Query the database", zh: "查询数据库" },
      effect: "read",
      inputSchema: statement,
      labels: labelsOf(statement),
      execute: async ({ sql: text }) => {
        return data.query(readingStatement(await readSql(text, dialect)));
      },
    }),
    defineTool({
      name: "data.modify",
      title: { en: "Change the database", zh: "更改数据库" },
      effect: "write",
      riskTier: "R3",
      confirm: policy.requireConfirmation !== false,
      inputSchema: statement,
      labels: labelsOf(statement),
      confirmPrompt: { en: "Run this SQL? {sql}", zh: "执行此 SQL？{sql}" },
      preview: async ({ sql: text }) => {
        const read = await one(text);
        const effect = await data.dryRun(read);
        check(effect);
        return {
          effects: [
            {
              kind: verbOf(read.kind),
              noun: { en: "row", zh: "行" },
              count: effect.rows,
              sample: sampleOf(effect).slice(0, 3),
            },
          ],
          targets: [...read.writes, ...effect.reached].map((table) => `table ${table}`),
          warnings: effect.plan.map((step) => ({ code: "PLAN", message: step, severity: "info" as const })),
          digest: digestOf(effect.rows, effect.sample),
        };
      },
      dryRun: async ({ sql: text }) => data.dryRun(await one(text)),
      rollback: {
        note: {
          en: "It runs in a transaction; once done, only the rows kept in the data audit help.",
          zh: "在事务中执行；完成后只能依据数据审计中保留的行恢复。",
        },
      },
      execute: async ({ sql: text }, context) => {
        const read = await one(text);
        const entry = { ...context, operation: read.kind, sql: text };
        try {
          const effect = await data.modify(read, (done) => {
            check(done);
            // Before it is kept: what cannot be audited does not happen.
            audit(household, entry, done);
          });
          return { rows: effect.rows, sample: sampleOf(effect), cut: effect.cut };
        } catch (error) {
          audit(household, entry, undefined, (error as Error).message);
          throw error;
        }
      },
    }),
  ];
}

function verbOf(kind: string): string {
  if (kind.startsWith("drop") || kind === "delete" || kind === "truncate") return "delete";
  return kind === "insert" ? "create" : "update";
}

/** Rows as they were and are, no more of them than fit. */
function sampleOf({ sample }: Effect): string[] {
  const rows: string[] = [];
  let bytes = 0;
  for (const row of sample) {
    const text = JSON.stringify(row);
    bytes += Buffer.byteLength(text);
    if (bytes > SAMPLE_BYTES) break;
    rows.push(text);
  }
  return rows;
}

interface AuditedCall extends RunContext {
  readonly approvalId: string | undefined;
  readonly operation: string;
  readonly sql: string;
}

function audit(household: Household, call: AuditedCall, effect: Effect | undefined, error?: string): void {
  const { workspaceId, userId, sessionId, approvalId, operation, sql: text } = call;
  household.run(
    `INSERT INTO data_audit (workspace_id, user_id, session_id, approval_id, operation, sql, rows, sample, status, error, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[workspaceId, userId, sessionId, approvalId ?? null, operation, text, effect?.rows ?? null],
    ...[effect === undefined ? null : JSON.stringify(sampleOf(effect)), error === undefined ? "success" : "error"],
    ...[error ?? null, household.now()],
  );
}
