import { z } from "zod";
import { APPROVAL_STATES } from "../../core/approval.js";
import { PIN_OPS } from "../../core/judging/pins.js";
import { card } from "./card.js";
import { hash, id, json, locale, riskTier, text, time } from "./common.js";

export const approvalState = z.enum(APPROVAL_STATES);

/** How far a yes reaches; this call alone if left out. */
export const decisionScope = z
  .strictObject({
    kind: z.enum(["once", "session", "minutes", "uses", "workspace"]),
    minutes: z.number().int().positive().optional(),
    uses: z.number().int().positive().optional(),
    pins: z
      .array(z.strictObject({ path: text(500), op: z.enum(PIN_OPS), value: json }))
      .max(50)
      .optional(),
    acknowledged: z.boolean().optional(),
  })
  .meta({ id: "DecisionScope" });

/** What a browser's passkey gives back; looked at closely where it is verified. */
const assertion = z.record(z.string(), json).meta({ id: "PasskeyAssertion" });

const decision = {
  decision: z.enum(["approve", "deny"]),
  toolCallHash: hash,
  cardHash: hash.optional(),
  args: z.record(z.string(), json).optional(),
  scope: decisionScope.optional(),
  reason: z.string().max(1_000).optional(),
};

/** One answer. It names the call that was shown. */
export const decisionBody = z.strictObject({ ...decision, assertion: assertion.optional() }).meta({ id: "Decision" });

export const decisionsBody = z.strictObject({
  decisions: z
    .array(z.strictObject({ approvalId: id, ...decision }))
    .min(1)
    .max(100),
});

const resolution = z.object({
  type: z.enum(["approved", "denied", "expired", "cancelled"]),
  at: time,
  by: id.optional(),
  /** Where they answered: `web`, `cli` or a chat channel's name. */
  surface: z.string().optional(),
  reason: z.string().optional(),
});

export const decided = z
  .object({
    approvalId: id,
    state: approvalState,
    resolution: resolution.optional(),
    toolCallHash: hash,
    revision: z.number().int(),
    votes: z.number().int(),
    quorum: z.number().int(),
    grant: z.record(z.string(), json).optional(),
  })
  .meta({ id: "Decided" });

/** What the bearer of the id before it is called, made safe to draw. */
const called = z.string().optional();

/** The record beside its card: where the question stands and what became of the call. */
export const approvalView = z
  .object({
    approvalId: id,
    state: approvalState,
    tool: z.string(),
    /** Empty once what was asked is erased. */
    toolCallHash: z.union([hash, z.literal("")]),
    riskTier,
    revision: z.number().int(),
    requestedAt: time,
    expiresAt: time,
    requester: z.object({
      userId: id,
      userName: called,
      agentId: id,
      agentName: called,
      sessionId: id,
    }),
    audience: z.object({
      persons: z.array(id),
      roles: z.array(z.string()),
      groups: z.array(z.string()),
      quorum: z.number().int(),
      notRequester: z.boolean(),
      assurance: z.string().optional(),
    }),
    votes: z.array(z.object({ userId: id, userName: called, at: time, assurance: z.string() })),
    resolution: resolution.extend({ byName: called }).optional(),
    execution: z
      .object({
        startedAt: time,
        finishedAt: time.optional(),
        result: json.optional(),
        withheld: z.boolean().optional(),
        error: z.string().optional(),
      })
      .optional(),
    /** Let through without a question: by a rule, a grant, a setting or a mode. */
    autoApproved: z.boolean(),
    /** Milliseconds from the question to its answer. */
    decidedIn: z.number().int().optional(),
    supersedes: id.optional(),
    replacedBy: id.optional(),
    /** Whose answer is waited for first, while it is pending. */
    handedTo: z.object({ userId: id, userName: called, by: id, byName: called }).optional(),
    erasedAt: time.optional(),
    card: card.optional(),
  })
  .meta({ id: "Approval" });

export const approvalQuery = z.strictObject({ locale: locale.optional() });

/** As lists have it: the card of a long call is left out. */
export const listed = z.literal("true").optional();

export const historyPage = z.object({ items: z.array(approvalView), next: id.optional() });
