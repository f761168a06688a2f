import { sha256Hex, shortCode } from "../ids.js";
import { canonicalize, type Json, type JsonObject } from "../json.js";
import { bareMask, isSensitive, type Mask, maskArgs, sensitiveValues } from "../mask.js";
import { argsOf, type CallRecord } from "../record.js";
import type { JsonPath } from "../text/inline.js";
import { previewOf } from "../text/preview.js";
import type { Shown } from "../text/shown.js";
import { type Locale, textIn } from "../tool.js";
import { RISK_SHAPES, translateMarkers } from "../words/words.js";
import { showDiff, showPreview, showPreviewDiff, showReasons } from "./about.js";
import { showCanonical, showCanonicalValue } from "./canonical.js";
import type { Card, CardAlternative } from "./card.js";
import { type CardSource, layOut, patternsOf, type Sheet } from "./sheet.js";
import { humanSummary } from "./summary.js";
import { leavesOf, showArgs, titlesOf } from "./values.js";

/** Agents may add a line of their own, not a page. */
const MAX_AGENT_WORDS = 280;

/**
 * Draws the card from the stored call. The same source gives the same card on every instance, apart from the fingerprints
 * in masks, which depend on the key; so the hash is over the card without them, and the values are bound by `toolCallHash`.
 * It is per language, because it stands for the very words that a person read. Its fields are always drawn in this order.
 */
export function renderCard(source: CardSource, locale: Locale, mask: Mask): Card {
  const sheet = layOut(source, locale, mask);
  const content = draw(sheet);
  const hashed = patternsOf(source).length === 0 ? content : draw(layOut(source, locale, bareMask));
  const cardHash = sha256Hex(`countersign/card/v1\n${JSON.stringify(hashed)}`) as Shown;
  return { cardHash, votes: source.approval.votes.map((vote) => sheet.called(vote.userId)), ...content };
}

type Content = Omit<Card, "cardHash" | "votes">;

/** One literal of all fields: a card is drawn for every question and every look, and putting it together costs most of that. */
function draw(sheet: Sheet): Content {
  const { approval, call, tool, show, called, words } = sheet;
  const { requester, riskTier } = approval;
  const { userId, agentId } = requester;
  const preview = showPreview(call.preview, sheet);
  const values = argumentsOf(sheet);
  const said = notes(sheet);
  const title = textIn(tool?.title, sheet.locale);
  return {
    approvalId: show(approval.approvalId),
    sessionId: show(requester.sessionId),
    runId: call.runId === undefined ? undefined : show(call.runId),
    toolCallCanonical: binding(sheet),
    humanSummary: humanSummary(sheet, [...sensitiveValues(sheet.real, sheet.patterns).values()].map(sheet.mask)),
    riskTier,
    requestedAt: show(new Date(approval.requestedAt).toISOString()),
    expiresAt: show(new Date(approval.decideBy).toISOString()),
    suggestedAlternatives: call.alternatives?.map((other) => alternative(other, sheet)),
    locale: sheet.locale,
    code: show(shortCode(approval.approvalId)),
    tool: show(approval.tool),
    title: title === undefined ? undefined : show(title),
    app: show(tool?.app ?? approval.tool),
    toolCallHash: show(approval.toolCallHash),
    revision: approval.revision,
    asks: words.asks(called(agentId), called(userId)),
    requester: {
      userId: show(userId),
      agentId: show(agentId),
      ...(sheet.names.has(userId) ? { userName: called(userId) } : {}),
      ...(sheet.names.has(agentId) ? { agentName: called(agentId) } : {}),
      // What the agent says of those before it is not looked up: it could claim anybody's id.
      lineage: (call.lineage ?? []).map(show),
    },
    risk: { shape: show(RISK_SHAPES[riskTier]), word: words.risk[riskTier] },
    reasons: showReasons(call.reasons, call.confidence, sheet),
    effects: preview.effects,
    targets: preview.targets,
    warnings: preview.warnings,
    arguments: values.arguments,
    size: values.size,
    complete: values.complete,
    diff: said.diff,
    diffAgainst: said.diffAgainst,
    previewDiff: said.previewDiff,
    rollbackNote: said.rollbackNote,
    agentSays: said.agentSays,
    isDestructive: tool?.destructive ?? riskTier === "R4",
    quorum: approval.audience.quorum,
  };
}

/** The bytes that were hashed; with masks in place of what is sensitive. */
function binding({ call, args, patterns, hidden }: Sheet): Shown {
  if (patterns.length === 0) return showCanonical(call.canonical);
  const whole = { ...(JSON.parse(call.canonical) as JsonObject), args };
  return showCanonicalValue(whole, (path: JsonPath) => path[0] === "args" && hidden(path.slice(1)));
}

function alternative(
  { tool: name, args }: NonNullable<CallRecord["alternatives"]>[number],
  { find, show, mask, locale, patterns, tool }: Sheet,
): CardAlternative {
  const other = find(name);
  const theirs = other === undefined || other === tool ? patterns : other.sensitive;
  const isObject = args !== null && typeof args === "object" && !Array.isArray(args);
  const plain = isObject ? (args as JsonObject) : { args: args as Json };
  const shown = showArgs(maskArgs(plain, theirs, mask), other, (path) => isSensitive(theirs, path), locale);
  return { tool: show(name), args: shown };
}

function argumentsOf({ args, real, tool, hidden, locale }: Sheet): Pick<Card, "arguments" | "size" | "complete"> {
  const root = showArgs(args, tool, hidden, locale);
  const leaves = leavesOf(root);
  const values = "children" in root ? root.children : [];
  const count = values.length === 0 ? 0 : leaves.length;
  return {
    arguments: values.map((value) => ({ key: value.key, label: value.title ?? value.key, value })),
    // Measured already, unless masks stand in it.
    size: { bytes: args === real ? root.bytes : Buffer.byteLength(canonicalize(real)), values: count },
    complete: leaves.every((leaf) => !("preview" in leaf) || leaf.preview.complete),
  };
}

type Notes = Pick<Card, "diff" | "diffAgainst" | "previewDiff" | "rollbackNote" | "agentSays">;

function notes({ call, tool, superseded, args, patterns, hidden, mask, locale, say }: Sheet): Notes {
  const before = call.proposed ?? (superseded && argsOf(superseded));
  const undo = textIn(tool?.rollback?.note, locale);
  return {
    diff:
      before && showDiff(maskArgs(before, patterns, mask), args, { hidden, titleOf: titlesOf(tool, locale) }, locale),
    diffAgainst: before && (call.proposed === undefined ? "plan" : "edit"),
    previewDiff: showPreviewDiff(superseded?.preview, call.preview, { say, locale }),
    rollbackNote: undo === undefined ? undefined : say(undo),
    agentSays:
      call.summary === undefined
        ? undefined
        : translateMarkers(previewOf(say(call.summary), MAX_AGENT_WORDS).text, locale),
  };
}
