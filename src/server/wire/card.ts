import { z } from "zod";
import { hash, id, json, locale, riskTier } from "./common.js";

const shown = z.string();

const node = {
  label: shown,
  key: shown,
  title: shown.optional(),
  bytes: z.number().int(),
  notices: z.array(z.record(z.string(), json)),
};

/** A value as a person sees it, every part of it escaped. */
export const shownValue: z.ZodType = z
  .union([
    z.object({
      kind: z.enum(["string", "number", "boolean", "null", "hidden"]),
      text: shown,
      lines: z.array(shown).optional(),
      preview: z.record(z.string(), json),
      ...node,
    }),
    z.object({
      kind: z.enum(["array", "object"]),
      count: z.number().int(),
      children: z.array(z.lazy(() => shownValue)),
      ...node,
    }),
  ])
  .meta({ id: "ShownValue" });

const change = z.object({
  type: z.enum(["add", "remove", "replace"]),
  label: shown,
  title: shown.optional(),
  before: shown.optional(),
  after: shown.optional(),
});

/** The wire form of an approval, with the field names that the approval protocol fixes. */
const approvalRequest = {
  approvalId: id,
  sessionId: shown,
  runId: shown.optional(),
  toolCallCanonical: shown,
  humanSummary: shown,
  riskTier,
  requestedAt: shown,
  expiresAt: shown,
  diff: z.array(change).optional(),
  suggestedAlternatives: z.array(z.object({ tool: shown, args: shownValue })).optional(),
};

export const approvalRequestSchema = z.object(approvalRequest).meta({ id: "ApprovalRequest" });

/** What a person sees. Surfaces draw it and add nothing. */
export const card = z
  .object({
    ...approvalRequest,
    cardHash: hash,
    locale,
    code: shown,
    tool: shown,
    title: shown.optional(),
    app: shown,
    toolCallHash: hash,
    revision: z.number().int(),
    asks: shown,
    requester: z.object({
      userId: shown,
      agentId: shown,
      userName: shown.optional(),
      agentName: shown.optional(),
      lineage: z.array(shown),
    }),
    risk: z.object({ shape: shown, word: shown }),
    reasons: z.array(z.object({ source: z.string(), code: shown, riskTier, text: shown, fragment: shown.optional() })),
    effects: z.array(z.object({ kind: shown, count: z.number(), text: shown, samples: z.array(shown) })),
    targets: z.array(shown),
    warnings: z.array(z.object({ severity: z.enum(["info", "warning", "caution"]), text: shown })),
    arguments: z.array(z.object({ key: shown, label: shown, value: shownValue })),
    size: z.object({ bytes: z.number().int(), values: z.number().int() }),
    complete: z.boolean(),
    diffAgainst: z.enum(["edit", "plan"]).optional(),
    previewDiff: z.array(change).optional(),
    rollbackNote: shown.optional(),
    isDestructive: z.boolean(),
    quorum: z.number().int(),
    votes: z.array(shown),
    agentSays: shown.optional(),
  })
  .meta({ id: "Card" });
