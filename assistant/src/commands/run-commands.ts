import { type Caller, CountersignError, type Gate, type Outcome, type Person } from "countersign";
import type { ToolCallbacks, ToolMetadata } from "../chat/events.js";
import { metadataFor } from "../chat/metadata.js";
import { newId } from "../household/household.js";

export interface CommandCall {
  readonly name: string;
  /** In a pipeline a value `{ "$from": "todo.id" }` is taken from the data of the step before. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** What one command came to. Its metadata is that of the registry, the same through every way of running it. */
export interface CommandOutcome {
  readonly callId: string;
  readonly name: string;
  readonly outcome: Outcome["type"] | "refused";
  /** The command's own result, warnings with their severity included; absent while it waits. */
  readonly result?: unknown;
  readonly message: string;
  readonly approvalId?: string;
  readonly latencyMs: number;
  readonly metadata?: ToolMetadata;
}

interface Runner {
  readonly gate: Gate;
  readonly callbacks: ToolCallbacks;
  readonly agentId: string;
}

/** Runs each on its own: what one of them comes to stops no other, and what has to be asked is asked one by one. */
export async function runBatch(
  runner: Runner,
  calls: readonly CommandCall[],
  person: Person,
): Promise<readonly CommandOutcome[]> {
  const caller = callerFor(runner, person);
  const outcomes: CommandOutcome[] = [];
  for (const call of calls) outcomes.push(await runOne(runner, call.name, call.args ?? {}, caller));
  return outcomes;
}

/** Runs one after the other and stops at the first that has not succeeded: a step that waits holds back what builds on it. */
export async function runPipeline(
  runner: Runner,
  calls: readonly CommandCall[],
  person: Person,
): Promise<readonly CommandOutcome[]> {
  const caller = callerFor(runner, person);
  const outcomes: CommandOutcome[] = [];
  for (const call of calls) {
    const before = outcomes.at(-1);
    const outcome = await runOne(runner, call.name, filled(call.args ?? {}, before?.result), caller);
    outcomes.push(outcome);
    if (outcome.outcome !== "succeeded") break;
  }
  return outcomes;
}

async function runOne(
  { gate, callbacks }: Runner,
  name: string,
  args: object,
  caller: Caller,
): Promise<CommandOutcome> {
  const callId = newId("call");
  const metadata = metadataFor(gate, name, args);
  const about = { callId, name, ...(metadata === undefined ? {} : { metadata }) };
  callbacks.onToolStart?.(name, args);
  const started = performance.now();
  try {
    const outcome = await gate.submit({ tool: name, args, context: { call: callId } }, caller, { personAsked: true });
    const latencyMs = Math.round(performance.now() - started);
    const result = outcome.type === "succeeded" ? { result: outcome.result } : {};
    if (outcome.type !== "pending") callbacks.onToolEnd?.(name, result.result, latencyMs, metadata);
    const approval = outcome.approvalId === undefined ? {} : { approvalId: outcome.approvalId };
    return { ...about, outcome: outcome.type, ...result, message: outcome.message, ...approval, latencyMs };
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return { ...about, outcome: "refused", message: error.message, latencyMs: 0 };
  }
}

/** A step that refers to something the step before did not give gets null, which its schema refuses. */
function filled(args: Readonly<Record<string, unknown>>, before: unknown): Record<string, unknown> {
  const data = (before as { readonly data?: unknown } | undefined)?.data ?? before;
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, isReference(value) ? at(data, value.$from) : value]),
  );
}

function isReference(value: unknown): value is { readonly $from: string } {
  return value !== null && typeof value === "object" && typeof (value as { $from?: unknown }).$from === "string";
}

function at(data: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => {
    const isObject = value !== null && typeof value === "object" && Object.hasOwn(value, key);
    return isObject ? (value as Record<string, unknown>)[key] : null;
  }, data);
}

function callerFor({ agentId }: Runner, { userId, workspaceId }: Person): Caller {
  return { userId, workspaceId, sessionId: newId("batch"), agentId, surface: "commands" };
}
