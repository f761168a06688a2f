import type { Approval } from "./approval.js";
import type { Signal } from "./classify.js";
import { shortCode } from "./ids.js";
import type { Json, JsonObject } from "./json.js";
import { argsOf, type CallRecord } from "./record.js";
import type { RiskTier } from "./risk.js";
import { type Change, diffJson } from "./text/diff.js";
import type { AnyTool, Locale, PredictedEffect, Preview } from "./tool.js";

/** The wire form of an approval, with the field names the approval protocol fixes. */
export interface ApprovalRequest {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly runId?: string;
  /** Canonical JSON; its SHA-256 is `toolCallHash`. */
  readonly toolCallCanonical: string;
  /** Built from the canonical arguments by template; never a model's words. */
  readonly humanSummary: string;
  readonly riskTier: RiskTier;
  readonly requestedAt: string;
  readonly expiresAt: string;
  /** Against the superseded plan, or against what the agent proposed before a person edited it. */
  readonly diff?: readonly Change[];
  readonly suggestedAlternatives?: readonly { readonly tool: string; readonly args: Json }[];
}

/** What a person sees. Surfaces draw it and add nothing. */
export interface Card extends ApprovalRequest {
  readonly code: string;
  readonly tool: string;
  readonly app: string;
  readonly toolCallHash: string;
  readonly revision: number;
  readonly arguments: readonly CardArgument[];
  readonly reasons: readonly Signal[];
  readonly effects: readonly PredictedEffect[];
  readonly targets: readonly string[];
  /** What the preview says now against what it said when the superseded approval was shown. */
  readonly previewDiff?: readonly Change[];
  readonly rollbackNote?: string;
  readonly requester: { readonly userId: string; readonly agentId: string; readonly lineage: readonly string[] };
  readonly isDestructive: boolean;
  readonly quorum: number;
  readonly votes: readonly string[];
  /** The agent's own words, not checked by anybody. Shown last. */
  readonly agentSays?: string;
}

export interface CardArgument {
  readonly key: string;
  readonly label: string;
  readonly value: Json;
}

/** Agents may add a line of their own, not a page. */
const MAX_AGENT_WORDS = 280;

export function renderCard(
  approval: Approval,
  call: CallRecord,
  tool: AnyTool | undefined,
  superseded?: CallRecord,
  locale: Locale = "en",
): Card {
  const args = argsOf(call);
  const before = call.proposed ?? (superseded && argsOf(superseded));
  const note = rollbackNote(tool, locale);
  return {
    approvalId: approval.approvalId,
    code: shortCode(approval.approvalId),
    sessionId: approval.requester.sessionId,
    ...(call.runId === undefined ? {} : { runId: call.runId }),
    tool: approval.tool,
    app: tool?.app ?? approval.tool,
    toolCallCanonical: call.canonical,
    toolCallHash: approval.toolCallHash,
    revision: approval.revision,
    humanSummary: humanSummary(approval.tool, tool, args, locale),
    arguments: Object.entries(args).map(([key, value]) => ({ key, label: labelOf(tool, key), value })),
    riskTier: approval.riskTier,
    reasons: call.reasons,
    effects: call.preview?.effects ?? [],
    targets: call.preview?.targets ?? [],
    ...previewDiff(superseded, call),
    ...(note === undefined ? {} : { rollbackNote: note }),
    ...(before === undefined ? {} : { diff: diffJson(before, args) }),
    ...(call.alternatives === undefined ? {} : { suggestedAlternatives: call.alternatives }),
    requester: { userId: approval.requester.userId, agentId: approval.requester.agentId, lineage: call.lineage ?? [] },
    isDestructive: tool?.destructive ?? approval.riskTier === "R4",
    quorum: approval.audience.quorum,
    votes: approval.votes.map((vote) => vote.userId),
    requestedAt: new Date(approval.requestedAt).toISOString(),
    expiresAt: new Date(approval.decideBy).toISOString(),
    ...(call.summary === undefined ? {} : { agentSays: firstLine(call.summary) }),
  };
}

function previewDiff(before: CallRecord | undefined, now: CallRecord): Pick<Card, "previewDiff"> {
  if (before?.preview === undefined || now.preview === undefined) return {};
  const shown = ({ effects, targets = [], warnings = [] }: Preview) =>
    ({ effects, targets, warnings }) as unknown as Json;
  return { previewDiff: diffJson(shown(before.preview), shown(now.preview)) };
}

function humanSummary(name: string, tool: AnyTool | undefined, args: JsonObject, locale: Locale): string {
  const prompt = promptOf(tool, args, locale);
  if (typeof prompt === "string" && prompt !== "") return prompt;
  return locale === "zh" ? `运行 ${tool?.title ?? name}？` : `Run ${tool?.title ?? name}?`;
}

/** The tool's own words. Failing to find them must not keep the question from its approvers. */
function promptOf(tool: AnyTool | undefined, args: JsonObject, locale: Locale): unknown {
  const prompt = tool?.confirmPrompt;
  try {
    if (typeof prompt === "function") return prompt(args, locale);
    return prompt && fill(typeof prompt === "string" ? prompt : prompt[locale], args);
  } catch {
    return undefined;
  }
}

/** `{to}` becomes the argument's value; a name the call does not have stays visible as it is. */
function fill(template: string, args: JsonObject): string {
  return template.replace(/\{([A-Za-z0-9_]+)\}/g, (whole, key: string) => {
    if (!Object.hasOwn(args, key)) return whole;
    const value = args[key];
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function labelOf(tool: AnyTool | undefined, key: string): string {
  const properties = tool?.jsonSchema?.properties as
    | { readonly [key: string]: { readonly title?: unknown } }
    | undefined;
  const title = properties !== undefined && Object.hasOwn(properties, key) ? properties[key]?.title : undefined;
  return typeof title === "string" ? title : key;
}

function rollbackNote(tool: AnyTool | undefined, locale: Locale): string | undefined {
  const note = tool?.rollback?.note;
  return note === undefined || typeof note === "string" ? note : note[locale];
}

function firstLine(words: string): string {
  const line = words.split(/\r?\n/, 1)[0] ?? "";
  return line.length > MAX_AGENT_WORDS ? `${line.slice(0, MAX_AGENT_WORDS)}…` : line;
}
