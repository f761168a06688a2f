import { atLeast, type Finding, highestTier, type RiskTier } from "./risk.js";
import type { AnyTool, Effect, Preview } from "./tool.js";
import { readVerb } from "./verbs.js";

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
  const reasons = [
    ...signals,
    ...(tool === undefined ? [unknownTool(name)] : declaredSignals(tool)),
    ...verbSignals(name, effect),
  ];
  const threshold = tool?.confidenceThreshold ?? CONFIDENCE_THRESHOLD;
  const lowConfidence = effect === "write" && confidence !== undefined && confidence < threshold;
  if (lowConfidence) {
    reasons.push({
      source: "confidence",
      code: "low_confidence",
      riskTier: "R2",
      text: `The agent is only ${Math.round(confidence * 100)} % sure that this is what was meant.`,
    });
  }
  reasons.sort((a, b) => (a.riskTier === b.riskTier ? 0 : atLeast(a.riskTier, b.riskTier) ? -1 : 1));
  return {
    effect,
    riskTier: highestTier(reasons.map((reason) => reason.riskTier)),
    reasons,
    lowConfidence,
    confident: confidence !== undefined && confidence >= threshold,
  };
}

function unknownTool(name: string): Signal {
  return {
    source: "declared",
    code: "unknown_tool",
    riskTier: "R3",
    text: "No tool of this name is known here.",
    fragment: name,
  };
}

function declaredSignals(tool: AnyTool): Signal[] {
  const signals: Signal[] = [];
  const declared = (code: string, riskTier: RiskTier, text: string, fragment?: string) =>
    signals.push({ source: "declared", code, riskTier, text, ...(fragment === undefined ? {} : { fragment }) });
  if (tool.destructive) declared("destructive", "R4", "The tool says that what it does cannot be undone.");
  if (tool.riskTier !== undefined) declared("declared_tier", tool.riskTier, `The tool declares ${tool.riskTier}.`);
  // "Can be undone" is a claim somebody has to make: a write that says nothing is not given the benefit of it.
  else if (tool.effect === "write")
    declared("undeclared_write", "R2", "The tool writes and does not say how far it reaches.");
  for (const tag of tool.tags) {
    const riskTier = TAG_TIERS.get(tag);
    if (riskTier !== undefined) declared("tag", riskTier, `The tool is tagged "${tag}".`, tag);
  }
  return signals;
}

/** A read by declaration whose name says otherwise is looked at; a name alone never makes a write safer. */
function verbSignals(name: string, effect: Effect): Signal[] {
  const { riskTier, verb } = readVerb(name);
  if (riskTier === undefined || (effect === "write" && !atLeast(riskTier, "R3"))) return [];
  const text = riskTier === "R4" ? `"${verb}" removes things for good.` : `"${verb}" reaches beyond this system.`;
  return [{ source: "verb", code: "verb", riskTier, text, ...(verb === undefined ? {} : { fragment: verb }) }];
}

/** A tool's own preview may ask for a person before anything runs. */
export function previewSignals(preview: Preview | undefined): Signal[] {
  return (preview?.warnings ?? [])
    .filter((warning) => warning.code === "REQUIRES_CONFIRMATION" || warning.severity === "caution")
    .map((warning) => ({ source: "preview", code: "preview_warning", riskTier: "R3", text: warning.message }));
}
