import type { Approval, Assurance } from "../approval.js";
import type { Caller } from "../call.js";
import { CountersignError, type Refusal, refuse } from "../errors.js";
import type { JsonObject } from "../json.js";
import { argsOf, bindingOf, type CallRecord } from "../record.js";
import { atLeast, type RiskTier } from "../risk.js";
import type { AnyTool } from "../tool.js";
import { type Pin, pinAll, pinsHold, pinsProblem } from "./pins.js";

export type GrantKind = "session" | "minutes" | "uses" | "workspace";

/** How far a yes reaches. `once` is this call alone; anything wider makes a grant beside it. */
export type DecisionScope =
  | { readonly kind: "once" }
  | {
      readonly kind: GrantKind;
      /** With `minutes`; 15 if left out. */
      readonly minutes?: number;
      /** With `uses`: how many calls after this one. */
      readonly uses?: number;
      /** Narrow what is covered. This very call has to be within them. */
      readonly pins?: readonly Pin[];
      /** With `workspace` at R3: the warning was read. */
      readonly acknowledged?: boolean;
    };
type WiderScope = Extract<DecisionScope, { kind: GrantKind }>;

/** Standing, bounded permission. It is judged anew at each use, and never covers more than the call it was given for. */
export interface Grant {
  readonly grantId: string;
  readonly workspaceId: string;
  readonly kind: GrantKind;
  readonly tool: string;
  readonly fingerprint: string;
  /** The agent, with the agents above it. A child of it is another agent. */
  readonly agentId: string;
  readonly lineage: readonly string[];
  /** Absent for `workspace`; a forked session is another session. */
  readonly sessionId?: string;
  readonly userId?: string;
  readonly riskTier: RiskTier;
  readonly pins: readonly Pin[];
  readonly uses?: number;
  readonly givenAt: number;
  readonly until: number;
  readonly by: {
    readonly userId: string;
    readonly roles: readonly string[];
    readonly groups: readonly string[];
    readonly assurance: Assurance;
  };
  /** Of the rules it was given under. Other rules are another question. */
  readonly policy?: string;
  /** The approval it came from. */
  readonly approvalId: string;
}

/** A grant as it would be, before anybody gives it. */
export type GrantDraft = Omit<Grant, "grantId" | "by" | "givenAt">;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LONGEST: Readonly<Record<Exclude<GrantKind, "minutes">, number>> = {
  session: DAY,
  uses: DAY,
  workspace: 30 * DAY,
};
const MAX_USES = 1_000;
const KEYS: Readonly<Record<DecisionScope["kind"], readonly string[]>> = {
  once: ["kind"],
  session: ["kind", "pins"],
  minutes: ["kind", "pins", "minutes"],
  uses: ["kind", "pins", "uses"],
  workspace: ["kind", "pins", "acknowledged"],
};

/** Strict: a scope that is not exactly one of these decides nothing. */
export function checkDecisionScope(scope: DecisionScope): void {
  const wrong = (message: string) => new CountersignError("unsupported_scope", message);
  const kinds = Object.keys(KEYS);
  if (scope === null || typeof scope !== "object" || !kinds.includes(scope.kind))
    throw wrong(`A scope's kind is one of ${kinds.join(", ")}.`);
  const unknown = Object.keys(scope).find((key) => !KEYS[scope.kind].includes(key));
  if (unknown !== undefined) throw wrong(`A scope of kind "${scope.kind}" has no field "${unknown}".`);
  if (scope.kind === "once") return;
  const { minutes, uses, pins, acknowledged, kind } = scope;
  if (minutes !== undefined && !(Number.isFinite(minutes) && minutes > 0 && minutes * MINUTE <= DAY))
    throw wrong("A grant is for more than no time and at most a day: minutes from 1 to 1440.");
  if (kind === "uses" && !(Number.isSafeInteger(uses) && (uses as number) >= 1 && (uses as number) <= MAX_USES))
    throw wrong(`A grant by uses is for 1 to ${MAX_USES} calls.`);
  if (acknowledged !== undefined && typeof acknowledged !== "boolean") throw wrong("acknowledged is true or false.");
  const problem = pins === undefined ? undefined : pinsProblem(pins);
  if (problem !== undefined) throw wrong(problem);
}

/** The grant that a yes of this scope would make, or why there can be none. */
export function draftGrant(
  approval: Approval,
  call: CallRecord,
  scope: WiderScope,
  now: number,
  policy: string | undefined,
): GrantDraft | Refusal {
  const { riskTier, audience, requester } = approval;
  const no = (message: string) => refuse("unsupported_scope", message);
  if (riskTier === "R4") return no("Calls of the highest risk are approved one at a time; no grant covers them.");
  if (audience.quorum > 1) return no("This takes several people each time, so one person's grant cannot answer it.");
  if (call.verdict.step === "always_confirm") return no("This is always asked, so a grant would cover nothing.");
  if (scope.kind === "workspace" && riskTier === "R3" && scope.acknowledged !== true)
    return no("A grant for the whole workspace at this risk has to be acknowledged: acknowledged: true.");
  const args = argsOf(call);
  const pins = scope.pins ?? (riskTier === "R3" ? pinAll(args) : []);
  if (!pinsHold(pins, args)) return no("This call is not within the pins, which may only narrow what it shows.");
  return {
    workspaceId: approval.workspaceId,
    kind: scope.kind,
    tool: approval.tool,
    fingerprint: bindingOf(call).fingerprint,
    agentId: requester.agentId,
    lineage: call.lineage ?? [],
    ...(scope.kind === "workspace" ? {} : { sessionId: requester.sessionId, userId: requester.userId }),
    riskTier,
    pins,
    ...(scope.uses === undefined ? {} : { uses: scope.uses }),
    until: now + (scope.kind === "minutes" ? Math.round((scope.minutes ?? 15) * MINUTE) : LONGEST[scope.kind]),
    ...(policy === undefined ? {} : { policy }),
    approvalId: approval.approvalId,
  };
}

/** A call that might be under a grant. */
export interface GrantUse {
  readonly tool: AnyTool;
  readonly args: JsonObject;
  readonly riskTier: RiskTier;
  readonly caller: Caller;
  readonly now: number;
  readonly policy: string | undefined;
}

/** Whether the grant speaks of this call at all; whether its giver may still give it is asked besides. */
export function covers(grant: Grant, { tool, args, riskTier, caller, now, policy }: GrantUse): boolean {
  const lineage = caller.lineage ?? [];
  return (
    now < grant.until &&
    grant.workspaceId === caller.workspaceId &&
    grant.tool === tool.name &&
    grant.fingerprint === tool.fingerprint &&
    grant.policy === policy &&
    grant.agentId === caller.agentId &&
    grant.lineage.length === lineage.length &&
    grant.lineage.every((agent, index) => agent === lineage[index]) &&
    (grant.kind === "workspace" || (grant.sessionId === caller.sessionId && grant.userId === caller.userId)) &&
    riskTier !== "R4" &&
    atLeast(grant.riskTier, riskTier) &&
    pinsHold(grant.pins, args)
  );
}
