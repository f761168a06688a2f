import type { Signal } from "../core/classify.js";
import type { JsonObject } from "../core/json.js";
import type { Step, Verdict } from "../core/judge.js";
import type { AnyTool } from "../core/tool.js";
import type { Policy } from "./policy.js";
import { RAISE_CODES } from "./source.js";
import { type TriedCall, tryCall } from "./trial.js";

/** A call as history remembers it. */
export interface RecordedCall extends Omit<TriedCall, "tool" | "args" | "opinions" | "signals"> {
  readonly id: string;
  /** The name, in case the tool itself is not known any more. */
  readonly name: string;
  readonly tool?: AnyTool;
  /** Absent when they were not kept, or have been erased. */
  readonly args?: JsonObject;
  /** What was noticed then, from every source. */
  readonly reasons: readonly Signal[];
  /** What was said then. */
  readonly verdict: Verdict;
}

/** What would become of one recorded call. */
type ReplayedAs = "same" | "spared" | "raised" | "denied" | "undenied" | "cannot tell";

export interface ReplayedCall {
  readonly id: string;
  readonly name: string;
  readonly as: ReplayedAs;
  readonly before: Verdict["type"];
  /** Absent where it cannot be told. */
  readonly after?: Verdict;
  readonly why?: string;
}

export interface Replay {
  readonly calls: readonly ReplayedCall[];
  /** Questions that were asked, as far as history goes, and that would be. */
  readonly askedBefore: number;
  readonly askedAfter: number;
  /** Asked before, allowed now. Never counts a call that could not be judged. */
  readonly spared: number;
  /** Allowed before, asked now. */
  readonly raised: number;
  readonly denied: number;
  readonly undenied: number;
  readonly cannotTell: number;
}

/**
 * Judges recorded calls under a new policy. They are compared with what an old policy makes of them, or, without one, with what
 * was said at the time. A call whose arguments or tool are gone cannot be judged and is never counted as spared.
 */
export function replay(before: Policy | undefined, after: Policy, history: readonly RecordedCall[]): Replay {
  const calls = history.map((recorded) => replayOne(before, after, recorded));
  const count = (as: ReplayedAs) => calls.filter((call) => call.as === as).length;
  return {
    calls,
    askedBefore: calls.filter((call) => call.before === "confirm").length,
    askedAfter: calls.filter((call) => call.after?.type === "confirm").length,
    spared: count("spared"),
    raised: count("raised"),
    denied: count("denied"),
    undenied: count("undenied"),
    cannotTell: count("cannot tell"),
  };
}

/** Steps at which no policy speaks: what a grant, a mode or a setting said then is taken to hold. */
const OTHERS: readonly Step[] = ["remembered_denial", "grant", "mode", "tool_setting", "app_setting"];

function replayOne(before: Policy | undefined, after: Policy, recorded: RecordedCall): ReplayedCall {
  const { id, name, tool, args, reasons, verdict } = recorded;
  const told = { id, name, before: verdict.type };
  if (args === undefined) return { ...told, as: "cannot tell", why: "Its arguments were not kept." };
  if (tool === undefined) return { ...told, as: "cannot tell", why: "Its tool is not known here." };
  const call: TriedCall = {
    ...recorded,
    tool,
    args,
    // The tool, its name and the confidence speak again by themselves; an old policy's raise is not the new one's.
    signals: reasons.filter(({ source, code }) => !OWN_SOURCES.includes(source) && !RAISE_CODES.includes(code)),
    opinions: OTHERS.includes(verdict.step) ? [verdict] : [],
  };
  const now = tryCall(after, call).verdict;
  const then = before === undefined ? verdict.type : tryCall(before, call).verdict.type;
  return { ...told, before: then, as: comparedAs(then, now.type), after: now };
}

const OWN_SOURCES: readonly Signal["source"][] = ["declared", "verb", "confidence"];

function comparedAs(then: Verdict["type"], now: Verdict["type"]): ReplayedAs {
  if (then === now) return "same";
  if (now === "deny") return "denied";
  if (then === "deny") return "undenied";
  return now === "allow" ? "spared" : "raised";
}

/** The replay as text for a terminal: the counts, and each call that would be judged differently. */
export function formatReplay(result: Replay): string {
  const { calls, askedBefore, askedAfter } = result;
  const changed = calls.filter((call) => call.as !== "same");
  return [
    `${calls.length} recorded calls`,
    `questions: ${askedBefore} before, ${askedAfter} after`,
    `spared ${result.spared}, newly raised ${result.raised}, newly denied ${result.denied}, no longer denied ${result.undenied}, cannot tell ${result.cannotTell}`,
    ...changed.map((call) => {
      const by =
        call.after === undefined
          ? call.why
          : `${call.after.type} (${[call.after.step, ...call.after.rules].join(", ")})`;
      return `  ${call.as}: ${call.name} ${call.id}: ${call.before} → ${by}`;
    }),
  ].join("\n");
}
