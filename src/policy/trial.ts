import type { Caller } from "../core/call.js";
import { type Classification, classify, type Signal } from "../core/classify.js";
import type { JsonObject } from "../core/json.js";
import { judge, type Opinion, type Verdict } from "../core/judge.js";
import { type Thresholds, thresholdSignals } from "../core/judging/budgets.js";
import type { AnyTool } from "../core/tool.js";
import type { Look, Policy } from "./policy.js";
import { opinionsOf, signalsOf } from "./source.js";

/** A call to try a policy on, without a gate and without running anything. */
export interface TriedCall {
  readonly tool: AnyTool;
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly confidence?: number;
  /** When it is, or was, made. */
  readonly at: number;
  /** What analysers, previews and scopes found. */
  readonly signals?: readonly Signal[];
  /** What grants, modes and settings say. */
  readonly opinions?: readonly Opinion[];
}

export interface Trial {
  readonly classification: Classification;
  readonly raising: readonly Look[];
  readonly matching: readonly Look[];
  readonly opinions: readonly Opinion[];
  readonly verdict: Verdict;
}

/** The same steps as the gate takes, on values alone. Without a policy only the tool, the tier and the given opinions speak. */
export function tryCall(policy: Policy | undefined, call: TriedCall): Trial {
  const raising = policy?.raising(call, call.at) ?? [];
  const { confidence, ...thresholds } = policy?.defaults.thresholds ?? {};
  const signals = [...(call.signals ?? []), ...signalsOf(raising), ...passed(call, thresholds)];
  const tool =
    confidence === undefined
      ? call.tool
      : { ...call.tool, confidenceThreshold: call.tool.confidenceThreshold ?? confidence };
  const classification = classify(tool, tool.name, call.confidence, signals);
  const matching = policy?.matching(call, classification, call.at) ?? [];
  const opinions = [...opinionsOf(matching), ...(call.opinions ?? [])];
  const verdict = judge({ tool: call.tool, args: call.args, classification }, opinions);
  return { classification, raising, matching, opinions, verdict };
}

/** What the call passes of the policy's thresholds; one whose tool cannot say what it takes is not believed to take nothing. */
function passed({ tool, args, caller }: TriedCall, thresholds: Thresholds): readonly Signal[] {
  try {
    return thresholdSignals({ tool, args, caller, call: { tool: tool.name, args } }, thresholds);
  } catch {
    const text = "The tool could not say what this call takes.";
    return [{ source: "threshold", code: "uninspectable", riskTier: "R4", text }];
  }
}
