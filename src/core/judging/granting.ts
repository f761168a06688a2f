import { type Approval, checkAudience, type Person } from "../approval.js";
import { newEntry } from "../audit.js";
import type { Caller, ToolCall } from "../call.js";
import { type Engine, loadApproval, loadIntactCall } from "../engine.js";
import { CountersignError, errorOf, isRefusal } from "../errors.js";
import { audienceOf } from "../hold.js";
import { newId } from "../ids.js";
import type { Opinion } from "../judge.js";
import type { NewEntry, Put } from "../ports.js";
import type { CallRecord } from "../record.js";
import { DEFAULT_ROLES } from "../roles.js";
import type { Locale } from "../tool.js";
import { memberOf, ofAudience } from "../vouch.js";
import { describeGrant, grantWarnings } from "./grant-words.js";
import {
  checkDecisionScope,
  covers,
  type DecisionScope,
  draftGrant,
  type Grant,
  type GrantDraft,
  type GrantKind,
  type GrantUse,
} from "./grants.js";
import { commitStanding, type Standing, standingIndex, standingPut } from "./standing.js";

/** A grant in words, for whoever is about to give it. */
export interface GrantPreview {
  readonly kind: GrantKind;
  readonly text: string;
  readonly warnings: readonly string[];
  readonly until: string;
}

/** A grant as it is listed. */
export interface GrantView extends GrantPreview {
  readonly grantId: string;
  readonly tool: string;
  readonly agentId: string;
  readonly sessionId?: string;
  readonly givenBy: string;
  readonly givenAt: string;
  /** Calls that ran or run under it; one that failed gave its use back. */
  readonly used: number;
  readonly uses?: number;
}

/** A grant ready to be put into the commit of the decision that gives it. */
export interface Granting {
  readonly toolCallHash: string;
  readonly grant: Grant;
  readonly put: Put;
  readonly entry: NewEntry;
}

type WiderScope = Extract<DecisionScope, { kind: GrantKind }>;

function usesKey(grantId: string): string {
  return `grant/${grantId}`;
}

/** Works out the grant that this answer would make. Throws when there can be none: then nothing is approved either. */
export async function prepareGrant(
  engine: Engine,
  approval: Approval,
  call: CallRecord,
  scope: WiderScope,
  person: Person,
): Promise<Granting> {
  const draft = draftOf(engine, approval, call, scope);
  await engine.weaken?.(person, "grant.created");
  const { userId, roles = [], groups = [], assurance = "host" } = person;
  const grant: Grant = {
    ...draft,
    grantId: newId(),
    givenAt: engine.store.time(),
    by: { userId, roles, groups, assurance },
  };
  const entry = newEntry("grant.created", approval.approvalId, {
    grant: grant.grantId,
    by: userId,
    kind: grant.kind,
    tool: grant.tool,
    agent: grant.agentId,
    tier: grant.riskTier,
    pins: grant.pins.length,
    uses: grant.uses,
    until: grant.until,
    weakening: true,
  });
  return { toolCallHash: approval.toolCallHash, grant, put: standingPut("grant", grant.grantId, grant), entry };
}

function draftOf(engine: Engine, approval: Approval, call: CallRecord, scope: WiderScope): GrantDraft {
  const draft = draftGrant(approval, call, scope, engine.store.time(), engine.policyVersion?.());
  if (isRefusal(draft)) throw errorOf(draft);
  return draft;
}

/** Says to a person of the audience what a yes of this scope would cover, before it is given. */
export async function previewGrant(
  engine: Engine,
  approvalId: string,
  scope: DecisionScope,
  person: Person,
  locale?: Locale,
): Promise<GrantPreview> {
  checkDecisionScope(scope);
  const approval = await loadApproval(engine, approvalId);
  if (approval === undefined) throw new CountersignError("not_found", "There is no such approval.");
  await ofAudience(engine, approval, person);
  const call = await loadIntactCall(engine, approval);
  if (isRefusal(call)) throw errorOf(call);
  if (scope.kind === "once")
    throw new CountersignError("unsupported_scope", "A yes to this call alone makes no grant.");
  return wordsOf(engine, draftOf(engine, approval, call, scope), locale, engine.store.time());
}

/** With `now`, as it is offered; without, as it stands. */
export async function wordsOf(
  { people }: Engine,
  grant: GrantDraft,
  locale?: Locale,
  now?: number,
): Promise<GrantPreview> {
  const agentName = await people?.nameOf?.(grant.workspaceId, grant.agentId);
  return {
    kind: grant.kind,
    text: describeGrant(grant, { locale, agentName, ...(now === undefined ? {} : { now }) }),
    warnings: grantWarnings(grant, locale),
    until: new Date(grant.until).toISOString(),
  };
}

/** The grants that cover a call now, each with the use it would take. */
export async function grantOpinions(
  engine: Engine,
  { grants }: Standing,
  use: GrantUse & { readonly call: ToolCall },
): Promise<Opinion[]> {
  const opinions: Opinion[] = [];
  for (const grant of grants) {
    if (!covers(grant, use) || !(await mayStillGive(engine, grant, use)) || (await isUsedUp(engine, grant))) continue;
    const { grantId, uses, until } = grant;
    const count = { key: usesKey(grantId), add: 1, until, ...(uses === undefined ? {} : { max: uses }) };
    opinions.push({ type: "allow", step: "grant", rules: [`grant:${grantId}`], counts: [count], until });
  }
  return opinions;
}

/** Only somebody who could approve this very call now can have approved it in advance. */
async function mayStillGive(
  { people, audience }: Engine,
  grant: Grant,
  { call, caller }: { readonly call: ToolCall; readonly caller: Caller },
): Promise<boolean> {
  const { userId, roles, groups } = grant.by;
  const member = people === undefined ? { roles, groups } : await people.member(grant.workspaceId, userId);
  if (member === undefined) return false;
  const wanted = audienceOf(caller, [audience?.(call, caller)]);
  if (wanted.quorum > 1 || (wanted.notRequester && caller.userId === userId)) return false;
  const question = { workspaceId: caller.workspaceId, audience: wanted };
  return checkAudience(question, { kind: "person", userId, workspaceId: grant.workspaceId, ...member }) === undefined;
}

/** Only a look ahead that spares a commit: the store counts. */
async function isUsedUp({ store }: Engine, { grantId, uses }: Grant): Promise<boolean> {
  return uses !== undefined && (await store.count(usesKey(grantId))) >= uses;
}

/** The standing grants that this person gave, is served by, or answers for. */
export async function grantsFor(engine: Engine, person: Person, locale?: Locale): Promise<GrantView[]> {
  const who = await memberOf(engine, person);
  const now = engine.store.time();
  const views: GrantView[] = [];
  for (const record of await engine.store.list(standingIndex(who.workspaceId), "", 10_000)) {
    if (record.kind !== "grant") continue;
    const grant = JSON.parse(record.value) as Grant;
    if (now < grant.until && concerns(grant, who)) views.push(await viewOf(engine, grant, locale));
  }
  return views;
}

async function viewOf(engine: Engine, grant: Grant, locale?: Locale): Promise<GrantView> {
  const { grantId, tool, agentId, sessionId, uses, by, givenAt } = grant;
  return {
    ...(await wordsOf(engine, grant, locale)),
    grantId,
    tool,
    agentId,
    ...(sessionId === undefined ? {} : { sessionId }),
    givenBy: by.userId,
    givenAt: new Date(givenAt).toISOString(),
    used: await engine.store.count(usesKey(grantId)),
    ...(uses === undefined ? {} : { uses }),
  };
}

function concerns(grant: Grant, person: Person): boolean {
  const answers = (person.roles ?? []).some((role) => DEFAULT_ROLES.includes(role));
  return answers || grant.by.userId === person.userId || grant.userId === person.userId;
}

/** Ends a grant at once: whatever was judged under it and is not claimed yet is judged again. */
export async function revokeGrant(engine: Engine, grantId: string, person: Person): Promise<void> {
  const who = await memberOf(engine, person);
  const record = await engine.store.get("grant", grantId);
  const grant = record && (JSON.parse(record.value) as Grant);
  if (record === undefined || grant?.workspaceId !== who.workspaceId)
    throw new CountersignError("not_found", "There is no such grant.");
  if (!concerns(grant, who))
    throw new CountersignError("user_mismatch", "This grant was given by and for other people of the workspace.");
  const applied = await commitStanding(engine, {
    workspaceId: grant.workspaceId,
    puts: [{ kind: "grant", id: grantId, version: record.version, value: null }],
    entries: [newEntry("grant.revoked", grant.approvalId, { grant: grantId, by: who.userId })],
    tighten: true,
  });
  if (!applied.ok && applied.refused !== "version")
    throw new CountersignError("store_failed", `The grant was not revoked: ${applied.refused}.`);
}
