import { z } from "zod";
import { card } from "./card.js";
import { hash, id, json, time } from "./common.js";

export const approvalToken = z
  .object({
    tokenId: id,
    approvalId: id,
    toolCallHash: hash,
    expiresAt: time,
    singleUse: z.literal(true),
    scope: z.object({ kind: z.literal("once") }).optional(),
    issuedToClientDeviceId: id.optional(),
  })
  .meta({ id: "ApprovalToken" });

const told = { message: z.string(), approvalId: id.optional() };

/** What the caller is told; `code` is what agents test, `message` is what a model reads. */
export const outcome = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("succeeded"),
      result: json,
      changes: z.array(z.record(z.string(), json)).optional(),
      withheld: z.literal(true).optional(),
      ...told,
    }),
    z.object({
      type: z.literal("pending"),
      code: z.literal("TOOL_BLOCKED_PENDING_APPROVAL"),
      message: z.string(),
      approvalId: id,
      card,
      expiresAt: time,
      confirmationToken: z.string().optional(),
      token: approvalToken.optional(),
    }),
    z.object({
      type: z.literal("denied"),
      code: z.literal("TOOL_DENIED"),
      reason: z.string(),
      by: id.optional(),
      ...told,
    }),
    z.object({ type: z.literal("expired"), code: z.literal("TOOL_APPROVAL_EXPIRED"), ...told }),
    z.object({ type: z.literal("cancelled"), code: z.literal("TOOL_CANCELLED"), ...told }),
    z.object({ type: z.literal("failed"), code: z.literal("TOOL_FAILED"), error: z.string(), ...told }),
    z.object({ type: z.literal("unknown"), code: z.literal("TOOL_OUTCOME_UNKNOWN"), ...told }),
  ])
  .meta({ id: "Outcome" });
