import type { Limits } from "./engine.js";

/** Milliseconds to decide while somebody who may answer is connected, and while nobody is. */
type Times = { readonly [Key in "ttl" | "offlineTtl"]?: number | undefined };

/** Who has a say on how long a question waits. */
export interface TimeSources {
  /** The person's own setting, which holds before the tool's. */
  readonly person: Times;
  readonly tool: Times;
  /** Of the rules that ask; the same with and without anybody connected. */
  readonly rule: number | undefined;
  /** What the call itself wants, which can only be less. */
  readonly call: number | undefined;
  readonly usual: Pick<Limits, "ttl" | "offlineTtl">;
}

/**
 * The tool's time (or the person's for it), then the rule's, then the usual one. A rule that gives less than the tool is obeyed:
 * a question never stands open longer than anybody who speaks of this very call would have it.
 */
export function timeToDecide(online: boolean, { person, tool, rule, call, usual }: TimeSources): number {
  const key = online ? "ttl" : "offlineTtl";
  const said = [person[key] ?? tool[key], rule].filter((time) => time !== undefined);
  const time = said.length === 0 ? usual[key] : Math.min(...said);
  // Whole, as stores keep time: a seventh of a minute is not.
  return Math.max(1, Math.round(Math.min(time, call ?? time)));
}
