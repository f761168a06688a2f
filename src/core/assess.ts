import type { Caller, ToolCall } from "./call.js";
import { type Classification, classify, previewSignals, type Signal } from "./classify.js";
import type { Engine, KnownHead } from "./engine.js";
import { type JsonObject, toPlainJson } from "./json.js";
import { judge, type Opinion, type Question, requiredBy, type Verdict } from "./judge.js";
import { scopeOf } from "./judging/scope.js";
import { type Circumstances, type Weighed, weigh } from "./judging/weigh.js";
import { isRiskTier } from "./risk.js";
import type { Soon } from "./soon.js";
import { TIMED_OUT, timed } from "./timed.js";
import type { AnyTool, Preview, PreviewContext } from "./tool.js";

export interface Assessment {
  readonly classification: Classification;
  readonly verdict: Verdict;
  /** The workspace's epoch under which this was judged. */
  readonly epoch: number;
  /** The version of the policy under which this was judged. */
  readonly policy?: string;
  /** The person's own times to decide. */
  readonly times: Weighed["times"];
  readonly preview?: Preview;
}

/** How stale the known head of a workspace may be: a pause takes effect within this time, everywhere. */
const HEAD_AGE = 500;

/** Classifies and judges one call. Whatever fails on the way raises or asks; nothing that fails lets a call through. */
export async function assess(
  engine: Engine,
  call: ToolCall,
  caller: Caller,
  tool: AnyTool,
  args: JsonObject,
  circumstances: Circumstances = {},
): Promise<Assessment> {
  // Read first: rules that change while this is judged make it a judgement under the older ones.
  const policy = engine.policyVersion?.();
  const head = youngHead(engine, caller.workspaceId) ?? (await currentHead(engine, caller.workspaceId));
  const scoped = scopeOf(engine, caller, head);
  const scope = scoped instanceof Promise ? await scoped : scoped;
  const asked = { tool, args, call, caller, ...(scope === undefined ? {} : { scope }) };
  const looked = tool.preview === undefined && engine.analysers.length === 0 ? UNSEEN : await look(engine, asked);
  const seen = looked.preview === undefined ? asked : { preview: looked.preview, ...asked };
  const weighing = weigh(engine, seen, head, circumstances);
  const weighed = weighing instanceof Promise ? await weighing : weighing;
  const signals = [...looked.signals, ...weighed.signals];
  const classification = classify(weighed.tool, tool.name, call.confidence, signals);
  const question: Question = { tool, args, classification };
  const opinions = head.paused ? [PAUSED] : opinionsOn(engine, weighed, { call, caller, ...question }, circumstances);
  const judged = judge(question, opinions instanceof Promise ? await opinions : opinions);
  // Only an allowed call: a question that a rule asks has that rule's audience and quorum, and keeps them.
  const verdict = call.stricter?.confirm === true && judged.type === "allow" ? ASKED_TO_ASK : judged;
  const counts = verdict.type === "allow" ? [...(verdict.counts ?? []), ...weighed.counts] : [];
  return {
    classification,
    verdict: counts.length === 0 ? verdict : { ...verdict, counts },
    epoch: head.epoch,
    ...(policy === undefined ? {} : { policy }),
    times: weighed.times,
    ...(looked.preview === undefined ? {} : { preview: looked.preview }),
  };
}

/** What everybody says who has a say. */
function opinionsOn(
  engine: Engine,
  weighed: Weighed,
  question: Parameters<Engine["sources"][number]>[0],
  { exhausted }: Circumstances,
): Soon<readonly Opinion[]> {
  const { classification } = question;
  if (engine.sources.length === 0) return weighed.opinions(classification, requiredBy([]));
  return consult(engine, question, exhausted).then(async (said) => [
    ...(await weighed.opinions(classification, requiredBy(said))),
    ...said,
  ]);
}

const PAUSED: Opinion = {
  type: "deny",
  step: "deny_rule",
  rules: ["pause"],
  reason: "Everything is paused in this workspace.",
};

const ASKED_TO_ASK: Verdict = {
  type: "confirm",
  step: "always_confirm",
  rules: ["caller"],
  reason: "The caller wants a person to confirm this.",
};

function youngHead(engine: Engine, workspaceId: string): KnownHead | undefined {
  const known = engine.heads.get(workspaceId);
  return known !== undefined && isYoung(known, engine.clock.now()) ? known : undefined;
}

/** Read once for all that come meanwhile: with hundreds in flight each of them would else read it, and what stands under it. */
async function currentHead(engine: Engine, workspaceId: string): Promise<KnownHead> {
  const now = engine.clock.now();
  const begun = engine.headReadings.get(workspaceId);
  if (begun !== undefined && isYoung(begun, now)) return begun.head;
  const reading = { at: now, head: readHead(engine, workspaceId, now) };
  engine.headReadings.set(workspaceId, reading);
  try {
    return await reading.head;
  } finally {
    if (engine.headReadings.get(workspaceId) === reading) engine.headReadings.delete(workspaceId);
  }
}

function isYoung({ at }: { readonly at: number }, now: number): boolean {
  return now - at < HEAD_AGE && now >= at;
}

async function readHead(engine: Engine, workspaceId: string, at: number): Promise<KnownHead> {
  const { epoch, paused } = await engine.store.checkpoint(workspaceId);
  const fresh = { epoch, paused, at };
  engine.heads.set(workspaceId, fresh);
  return fresh;
}

interface Looked {
  readonly signals: readonly Signal[];
  readonly preview?: Preview;
}

/** Of a call that nobody looks into. */
const UNSEEN: Looked = { signals: [] };

/** Runs the tool's preview and the analysers. */
async function look(engine: Engine, asked: Parameters<Engine["analysers"][number]>[0]): Promise<Looked> {
  const { tool, args } = asked;
  const signals: Signal[] = [];
  for (const analyse of engine.analysers) {
    try {
      const found = await inTime(engine, analyse(asked));
      if (!found.every((signal) => isRiskTier(signal.riskTier))) throw new Error("not a tier");
      signals.push(...found);
    } catch {
      signals.push(uninspectable("analyser", "An analyser failed on this call."));
    }
  }
  const preview = await runPreview(engine, tool, args, asked.caller);
  if (preview === "failed")
    return { signals: [...signals, uninspectable("preview", "The tool could not say what it would do.")] };
  if (preview === undefined) return { signals };
  return { signals: [...signals, ...previewSignals(preview)], preview };
}

function uninspectable(source: Signal["source"], text: string): Signal {
  return { source, code: "uninspectable", riskTier: "R4", text };
}

/** Effect-free by declaration and limited in time. What it returns is kept, so it has to be plain JSON. */
export async function runPreview(
  engine: Engine,
  tool: AnyTool,
  args: JsonObject,
  { userId, workspaceId, sessionId, agentId }: PreviewContext,
): Promise<Preview | "failed" | undefined> {
  if (tool.preview === undefined) return undefined;
  try {
    const context = { userId, workspaceId, sessionId, agentId };
    const preview = toPlainJson(await inTime(engine, tool.preview(args, context))) as unknown as Preview;
    return isPreview(preview) ? preview : "failed";
  } catch {
    return "failed";
  }
}

/** A tool's own word about itself, so its form is looked at before anything relies on it. */
function isPreview({ effects, targets = [], warnings = [], digest = "" }: Preview): boolean {
  const isObject = (item: unknown) => item !== null && typeof item === "object";
  const lists =
    [effects, warnings].every((list) => Array.isArray(list) && list.every(isObject)) && Array.isArray(targets);
  return (
    lists &&
    typeof digest === "string" &&
    effects.every(({ kind, count }) => typeof kind === "string" && typeof count === "number") &&
    warnings.every(({ message }) => typeof message === "string")
  );
}

/** What does not answer in time has failed; nobody waits for it any longer. */
async function inTime<T>(engine: Engine, value: T | Promise<T>): Promise<T> {
  const known = await timed(engine.clock, value, engine.limits.previewTimeout);
  if (known === TIMED_OUT) throw new Error("no answer in time");
  return known;
}

/** Asks every source. One that fails is taken as "ask a person", at the step where no grant or mode can spare it. */
async function consult(
  engine: Engine,
  question: Parameters<Engine["sources"][number]>[0],
  exhausted: ReadonlySet<string> = new Set(),
): Promise<Opinion[]> {
  const opinions: Opinion[] = [];
  for (const source of engine.sources) {
    try {
      const said = await inTime(engine, source(question));
      opinions.push(...said.map((opinion) => withinLimits(opinion, exhausted)));
    } catch {
      opinions.push({
        type: "confirm",
        step: "always_confirm",
        rules: ["failed_source"],
        reason: "A part that decides could not answer.",
      });
    }
  }
  return opinions;
}

/** What a source allows within a limit is asked beyond it. */
function withinLimits(opinion: Opinion, exhausted: ReadonlySet<string>): Opinion {
  if (!opinion?.counts?.some(({ key }) => exhausted.has(key))) return opinion;
  const { step, rules } = opinion;
  return { type: "confirm", step, rules, reason: "What may run without asking is used up." };
}
