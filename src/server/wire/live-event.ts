import { z } from "zod";
import { approvalState } from "./approval.js";
import { id, riskTier, time } from "./common.js";

const seq = z.number().int().min(0);

/** Something that happened. Which fields it has depends on its type; `type`, `seq` and `time` are always there. */
const liveEvent = z
  .object({
    seq,
    type: z.string(),
    time,
    approvalId: id.optional(),
    tool: z.string().optional(),
    riskTier: riskTier.optional(),
    state: approvalState.optional(),
    expiresAt: time.optional(),
    by: id.optional(),
    reason: z.string().optional(),
    votes: z.number().int().optional(),
    quorum: z.number().int().optional(),
    revision: z.number().int().optional(),
    userId: id.optional(),
    agentId: id.optional(),
    sessionId: id.optional(),
    to: id.optional(),
    grantId: id.optional(),
    deviceId: id.optional(),
    label: z.string().optional(),
    fingerprint: z.string().optional(),
    role: z.string().optional(),
    replacedBy: id.optional(),
  })
  .meta({ id: "LiveEvent" });

export const liveEvents = z.object({ events: z.array(liveEvent), next: seq }).meta({ id: "LiveEvents" });
