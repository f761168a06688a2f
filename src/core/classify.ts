import { atLeast, type Finding, highestTier, type RiskTier } from "./risk.js";
import type { AnyTool, Effect, Preview } from "./tool.js";
import { readVerb } from "./verbs.js";
import { en } from "./words/en.js";

/** Writes below this ask, unless their tool sets another threshold. Exactly this much is enough. */
export const CONFIDENCE_THRESHOLD = 0.85;

/** Where a finding comes from. */
export type SignalSource = "declared" | "verb" | "confidence" | "preview" | "analyser" | "threshold" | "scope" | "hint";

export interface Signal extends Finding {
  readonly source: SignalSource;
}

export interface Classification {
  readonly effect: Effect;
  readonly riskTier: RiskTier;
  /** Why, highest first. */
  readonly reasons: readonly Signal[];
  /** A stated confidence below the threshold, on a write. */
  readonly lowConfidence: boolean;
  /** A stated confidence at or above the threshold. */
  readonly confident: boolean;
}

/** Tags that say by themselves how far a call reaches. Any other tag is only a label. */
const TAG_TIERS: ReadonlyMap<string, RiskTier> = new Map([
  ["private", "R2"],
  ["sensitive", "R2"],
  ["external", "R3"],
  ["payment", "R3"],
  ["publish", "R3"],
  ["permissions", "R3"],
  ["bulk", "R4"],
  ["irreversible", "R4"],
]);

/** Warnings that inform without asking. */
const QUIET: readonly string[] = ["info", "warning"];

/**
 * How dangerous one call is. Signals only ever raise: the highest wins, whatever its source, so nothing an agent or a tool's
 * author adds can make a call look safer than its other signals say.
 */
export function classify(
  tool: AnyTool | undefined,
  name: string,
  confidence: number | undefined,
  signals: readonly Signal[] = [],
): Classification {
  const effect = tool?.effect ?? "write";
  const known = tool === undefined ? [unknownTool(name), ...verbSignals(name, effect)] : toolSignals(tool);
  const reasons = [...signals, ...known];
  const threshold = tool?.confidenceThreshold ?? CONFIDENCE_THRESHOLD;
  const lowConfidence = effect === "write" && confidence !== undefined && confidence < threshold;
  if (lowConfidence) reasons.push(signalOf("confidence", "low_confidence", "R2", `${Math.round(confidence * 100)} %`));
  reasons.sort((a, b) => (a.riskTier === b.riskTier ? 0 : atLeast(a.riskTier, b.riskTier) ? -1 : 1));
  return {
    effect,
    riskTier: highestTier(reasons.map((reason) => reason.riskTier)),
    reasons,
    lowConfidence,
    confident: confidence !== undefined && confidence >= threshold,
  };
}

const TOOL_SIGNALS = new WeakMap<AnyTool, readonly Signal[]>();

/** What a tool's definition says by itself is the same for every call, so that it is read once. */
function toolSignals(tool: AnyTool): readonly Signal[] {
  const known = TOOL_SIGNALS.get(tool) ?? [...declaredSignals(tool), ...verbSignals(tool.name, tool.effect)];
  TOOL_SIGNALS.set(tool, known);
  return known;
}

function unknownTool(name: string): Signal {
  return signalOf("declared", "unknown_tool", "R3", name);
}

function declaredSignals(tool: AnyTool): Signal[] {
  const signals: Signal[] = [];
  if (tool.destructive) signals.push(signalOf("declared", "destructive", "R4"));
  if (tool.riskTier !== undefined) signals.push(signalOf("declared", "declared_tier", tool.riskTier));
  // "Can be undone" is a claim somebody has to make: a write that says nothing is not given the benefit of it.
  else if (tool.effect === "write") signals.push(signalOf("declared", "undeclared_write", "R2"));
  for (const tag of tool.tags) {
    const riskTier = TAG_TIERS.get(tag);
    if (riskTier !== undefined) signals.push(signalOf("declared", "tag", riskTier, tag));
  }
  return signals;
}

/** A read by declaration whose name says otherwise is looked at; a name alone never makes a write safer. */
function verbSignals(name: string, effect: Effect): Signal[] {
  const { riskTier, verb } = readVerb(name);
  if (riskTier === undefined || (effect === "write" && !atLeast(riskTier, "R3"))) return [];
  return [signalOf("verb", "verb", riskTier, verb)];
}

function signalOf(source: SignalSource, code: string, riskTier: RiskTier, fragment?: string): Signal {
  const signal = { source, code, riskTier, ...(fragment === undefined ? {} : { fragment }) };
  return { text: reasonText(signal) ?? code, ...signal };
}

/** The sentence of a signal whose code says it all; analysers and previews bring their own. */
export function reasonText({ code, riskTier, fragment = "" }: Omit<Signal, "text" | "source">): string | undefined {
  switch (code) {
    case "unknown_tool":
      return "No tool of this name is known here.";
    case "destructive":
      return "The tool says that what it does cannot be undone.";
    case "declared_tier":
      return `The tool declares the risk “${en.risk[riskTier]}”.`;
    case "undeclared_write":
      return "The tool writes and does not say how far it reaches.";
    case "tag":
      return `The tool is tagged "${fragment}".`;
    case "verb":
      return riskTier === "R4" ? `"${fragment}" removes things for good.` : `"${fragment}" reaches beyond this system.`;
    case "low_confidence":
      return `The agent is only ${fragment} sure that this is what was meant.`;
    default:
      return undefined;
  }
}

/** A tool's own preview may ask for a person before anything runs. A severity nobody knows asks too. */
export function previewSignals(preview: Preview | undefined): Signal[] {
  return (preview?.warnings ?? [])
    .filter((warning) => warning.code === "REQUIRES_CONFIRMATION" || !QUIET.includes(warning.severity))
    .map((warning) => ({ source: "preview", code: "preview_warning", riskTier: "R3", text: warning.message }));
}
