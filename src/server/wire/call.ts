import { z } from "zod";
import { hash, id, json, text, time } from "./common.js";

/** The agent's own name for its run. Calls of one session are joined, and its tokens work in it alone. */
export const session = { sessionId: id.optional() };

export const callBody = z
  .strictObject({
    tool: text(128),
    args: z.record(z.string(), json).optional(),
    confidence: z.number().min(0).max(1).optional(),
    idempotencyKey: text(255).optional(),
    join: z.literal(true).optional(),
    runId: id.optional(),
    model: id.optional(),
    summary: text(10_000).optional(),
    alternatives: z
      .array(z.strictObject({ tool: text(128), args: json.optional() }))
      .max(20)
      .optional(),
    supersedes: id.optional(),
    stricter: z
      .strictObject({
        confirm: z.literal(true).optional(),
        ttl: z.number().int().positive().optional(),
        pendingPerUser: z.number().int().positive().optional(),
      })
      .optional(),
    context: json.optional(),
    lineage: z.array(id).max(20).optional(),
    ...session,
  })
  .meta({ id: "ToolCall" });

export const claimBody = z
  .strictObject({ approvalId: id, tokenId: id, toolCallHash: hash.optional(), ...session })
  .meta({ id: "ClaimRequest" });

export const claimAnswer = z
  .object({
    approvalId: id,
    claimId: id,
    tool: z.string(),
    args: z.record(z.string(), json),
    toolCallHash: hash,
    idempotencyKey: id,
    reportBy: time,
  })
  .meta({ id: "Claim" });

export const finishBody = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("succeeded"), approvalId: id, claimId: id, result: json.optional(), ...session }),
    z.strictObject({
      type: z.literal("failed"),
      approvalId: id,
      claimId: id,
      error: z.string().max(10_000),
      ...session,
    }),
  ])
  .meta({ id: "Receipt" });
