import type { Classification, Signal } from "../classify.js";
import type { Engine } from "../engine.js";
import type { Opinion, Requirement } from "../judge.js";
import { type Soon, whenThere } from "../soon.js";
import type { AnyTool } from "../tool.js";
import { type Counts, type Spending, type Spent, spend, thresholdSignals } from "./budgets.js";
import { type Attempt, denialOpinions, denialSignals } from "./denials.js";
import { grantOpinions } from "./granting.js";
import { driftSignals, type Scope } from "./scope.js";
import { settingsOpinions, toolSettings } from "./settings.js";
import { type Standing, standingOf } from "./standing.js";

/** What is known of a judgement besides the call itself. */
export interface Circumstances {
  /** The call's own hash, by which a denial of it is remembered. */
  readonly toolCallHash?: string;
  /** A person has answered this, or edits it: then no earlier denial speaks. */
  readonly byPerson?: boolean;
  /** Counters that the store found full a moment ago. */
  readonly exhausted?: ReadonlySet<string>;
}

/** What thresholds, budgets, scope, settings, grants and remembered denials say to one call. */
export interface Weighed {
  /** The tool, with the threshold of confidence that holds for it. */
  readonly tool: AnyTool;
  readonly signals: readonly Signal[];
  /** To be taken when the call is started without a question. */
  readonly counts: Counts;
  /** The person's own times to decide, which hold before the tool's. */
  readonly times: { readonly ttl?: number; readonly offlineTtl?: number };
  /** `required` is what others who ask want of an answer: a grant is one too. */
  readonly opinions: (classification: Classification, required: Requirement) => Soon<readonly Opinion[]>;
}

export function weigh(
  engine: Engine,
  spending: Spending & { readonly scope?: Scope },
  head: object,
  circumstances: Circumstances,
): Soon<Weighed> {
  return whenThere(standingOf(engine, spending.caller.workspaceId, head), (standing) =>
    weighUnder(engine, spending, standing, circumstances),
  );
}

function weighUnder(
  engine: Engine,
  spending: Spending & { readonly scope?: Scope },
  standing: Standing,
  circumstances: Circumstances,
): Weighed {
  const { tool, args, call, caller, preview, scope } = spending;
  const now = engine.store.time();
  const settings = standing.settings.get(caller.userId);
  const { confidenceThreshold: own, ttl } = toolSettings(settings, tool.name);
  const attempt: Attempt = {
    toolCallHash: circumstances.toolCallHash,
    tool: tool.name,
    sessionId: caller.sessionId,
    now,
  };
  const { counts, signals, opinions, confidence } = spendingOf(engine, spending, now, circumstances.exhausted);
  const confidenceThreshold = own ?? (tool.confidenceThreshold === undefined ? confidence : undefined);
  return {
    tool: confidenceThreshold === undefined ? tool : { ...tool, confidenceThreshold },
    signals: [...signals, ...driftSignals(preview?.targets ?? [], scope), ...denialSignals(standing, attempt)],
    counts,
    times: {
      ...(ttl === undefined ? {} : { ttl }),
      ...(settings?.offlineTtl === undefined ? {} : { offlineTtl: settings.offlineTtl }),
    },
    opinions: (classification, required) => {
      const { riskTier } = classification;
      const policy = engine.policyVersion?.();
      // A used-up grant, or a mode whose budget is gone, is as if it were not there.
      const holds = (opinion: Opinion) => !opinion.counts?.some(({ key }) => circumstances.exhausted?.has(key));
      const set = settingsOpinions(settings, { tool, args, classification, caller, now }).filter(holds);
      const nameOf = (userId: string) => engine.people?.nameOf?.(caller.workspaceId, userId);
      const { denialBreaker } = engine.limits;
      const denied =
        circumstances.byPerson || standing.denials.length === 0
          ? []
          : denialOpinions(standing, attempt, denialBreaker, nameOf);
      const granted =
        standing.grants.length === 0
          ? []
          : grantOpinions(engine, standing, { tool, args, riskTier, call, caller, now, policy, required });
      return whenThere(denied, (no) => whenThere(granted, (yes) => [...no, ...opinions, ...set, ...yes.filter(holds)]));
    },
  };
}

/** Thresholds and budgets. A tool that cannot say what its call takes is not believed to take nothing. */
function spendingOf(
  engine: Engine,
  spending: Spending,
  now: number,
  exhausted: ReadonlySet<string> | undefined,
): Spent & { readonly confidence?: number | undefined } {
  try {
    const thresholds = engine.thresholds();
    const passed = thresholdSignals(spending, thresholds);
    const spent = spend(spending, engine.budgets(spending), now, exhausted);
    const { counts, opinions } = spent;
    return { counts, opinions, signals: [...passed, ...spent.signals], confidence: thresholds.confidence };
  } catch {
    const text = "The tool could not say what this call takes.";
    return {
      counts: [],
      opinions: [],
      signals: [{ source: "threshold", code: "uninspectable", riskTier: "R4", text }],
    };
  }
}
