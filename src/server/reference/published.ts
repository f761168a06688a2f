import type { z } from "zod";
import { approvalView, decided, decisionBody } from "../wire/approval.js";
import { callBody, claimAnswer, finishBody } from "../wire/call.js";
import { approvalRequestSchema, card } from "../wire/card.js";
import { problem } from "../wire/common.js";
import { approvalToken, outcome } from "../wire/outcome.js";
import { grantView, settings } from "../wire/standing.js";
import { declaredTool } from "../wire/tools.js";
import { jsonSchemaOf } from "./schemas.js";

/** The forms that others build against, as files in `schemas/`. `approval` is the approval protocol's own. */
const PUBLISHED: Readonly<Record<string, z.ZodType>> = {
  approval: approvalRequestSchema,
  "approval-token": approvalToken,
  "approval-view": approvalView,
  card,
  claim: claimAnswer,
  decided,
  decision: decisionBody,
  "declared-tool": declaredTool,
  grant: grantView,
  outcome,
  problem,
  receipt: finishBody,
  settings,
  "tool-call": callBody,
};

/** The published schemas by file name, as they are written: what a server of this version accepts and says. */
export function publishedSchemas(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(PUBLISHED).map(([name, schema]) => [
      `${name}.schema.json`,
      `${JSON.stringify(jsonSchemaOf(schema), null, 2)}\n`,
    ]),
  );
}
