import { historyIndex, type Person } from "../approval.js";
import { type Engine, loadIntactCall } from "../engine.js";
import { errorOf, isRefusal } from "../errors.js";
import { readAll } from "../for-each.js";
import type { Json, JsonObject } from "../json.js";
import { locate } from "../locate.js";
import { isSensitive } from "../mask.js";
import { parseUrl } from "../parse-url.js";
import { isOf } from "../reading.js";
import { argsOf, type CallRecord } from "../record.js";
import { atLeast, type RiskTier } from "../risk.js";
import type { Locale } from "../tool.js";
import { ofAudience } from "../vouch.js";
import { type GrantPreview, wordsOf } from "./granting.js";
import { type DecisionScope, draftGrant, type GrantDraft, type GrantKind } from "./grants.js";
import { type Pin, pinsHold } from "./pins.js";
import { segmentsOf } from "./scope.js";

/** A grant that would fit the call at hand. */
export interface GrantSuggestion extends GrantPreview {
  readonly scope: DecisionScope;
  /** How many of the latest calls for the same person it would have spared the question. */
  readonly covers: number;
}

type WiderScope = Extract<DecisionScope, { kind: GrantKind }>;

const MAX_SUGGESTIONS = 3;
const LOOKED_BACK = 50;

/** At most three grants that fit this call, narrowest first. None where none may be given. */
export async function suggestGrants(
  engine: Engine,
  approvalId: string,
  person: Person,
  locale?: Locale,
): Promise<GrantSuggestion[]> {
  const approval = await locate(engine, { approvalId });
  await ofAudience(engine, approval, person);
  const call = await loadIntactCall(engine, approval);
  if (isRefusal(call)) throw errorOf(call);
  const drafts = fittingScopes(argsOf(call), approval.riskTier, call.sensitive ?? []).flatMap((scope) => {
    const draft = draftGrant(approval, call, scope, engine.store.time(), engine.policyVersion?.());
    return isRefusal(draft) ? [] : [{ scope, draft }];
  });
  const past = drafts.length === 0 ? [] : await pastCalls(engine, approval.workspaceId, approval.requester.userId);
  return Promise.all(
    drafts.map(async ({ scope, draft }) => ({
      scope,
      ...(await wordsOf(engine, draft, locale, engine.store.time())),
      covers: past.filter((earlier) => wouldCover(draft, earlier)).length,
    })),
  );
}

/** The scopes worth offering: where such calls reach beyond this system, every one of them is pinned. */
export function fittingScopes(args: JsonObject, riskTier: RiskTier, sensitive: readonly string[]): WiderScope[] {
  const pins = fittingPins(args, sensitive);
  const pinned = pins.length === 0 ? [] : [{ pins }];
  const scopes: WiderScope[] = atLeast(riskTier, "R3")
    ? [
        { kind: "session" },
        ...pinned.map((narrow) => ({ kind: "minutes" as const, minutes: 15, ...narrow })),
        ...pinned.map((narrow) => ({ kind: "uses" as const, uses: 5, ...narrow })),
      ]
    : [
        ...pinned.map((narrow) => ({ kind: "session" as const, ...narrow })),
        { kind: "minutes", minutes: 15 },
        { kind: "session" },
      ];
  return scopes.slice(0, MAX_SUGGESTIONS);
}

/** What of the arguments tells this call from others of its kind: its folder, its host, its amount. Never a hidden value. */
function fittingPins(args: JsonObject, sensitive: readonly string[]): Pin[] {
  return Object.entries(args).flatMap(([key, value]) => {
    if (key === "" || key.includes(".") || isSensitive(sensitive, [key])) return [];
    const pin = fittingPin(key, value);
    return pin !== undefined && pinsHold([pin], args) ? [pin] : [];
  });
}

function fittingPin(path: string, value: Json): Pin | undefined {
  if (typeof value === "number") return { path, op: "max", value };
  if (typeof value !== "string") return undefined;
  const folder = segmentsOf(value)?.slice(0, -1);
  if (folder !== undefined && folder.length > 0) return { path, op: "prefix", value: `/${folder.join("/")}` };
  const host = /^[^\s@]+@([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/i.exec(value)?.[1] ?? hostOf(value);
  return host?.includes(".") ? { path, op: "host", value: host.toLowerCase() } : undefined;
}

function hostOf(text: string): string | undefined {
  return /^https?:\/\//i.test(text) ? parseUrl(text)?.hostname : undefined;
}

interface PastCall {
  readonly tool: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly riskTier: RiskTier;
  readonly call: CallRecord;
}

async function pastCalls(engine: Engine, workspaceId: string, userId: string): Promise<PastCall[]> {
  const records = await engine.store.latest(historyIndex(workspaceId, userId), "", LOOKED_BACK);
  const own = readAll(engine, records).filter((approval) => isOf(approval, workspaceId, userId));
  const found = await Promise.all(
    own.map(async (approval): Promise<PastCall[]> => {
      const call = await loadIntactCall(engine, approval);
      if (isRefusal(call)) return [];
      const { tool, riskTier, requester } = approval;
      return [{ tool, riskTier, agentId: requester.agentId, sessionId: requester.sessionId, call }];
    }),
  );
  return found.flat();
}

function wouldCover(draft: GrantDraft, past: PastCall): boolean {
  return (
    past.tool === draft.tool &&
    past.agentId === draft.agentId &&
    (draft.sessionId === undefined || past.sessionId === draft.sessionId) &&
    past.riskTier !== "R4" &&
    atLeast(draft.riskTier, past.riskTier) &&
    pinsHold(draft.pins, argsOf(past.call))
  );
}
