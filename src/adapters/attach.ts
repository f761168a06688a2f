import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Caller, ToolCall } from "../core/call.js";
import { toCountersignError } from "../core/errors.js";
import { failureText } from "../core/failure-text.js";
import { sha256Hex } from "../core/ids.js";
import { canonicalize } from "../core/json.js";
import { type Outcome, unknown } from "../core/outcome.js";
import { reportedResult } from "../core/result.js";
import { type AnyTool, defineTool, type ToolDefinition } from "../core/tool.js";
import type { GateLike } from "./gate-like.js";
import { tell, tellError } from "./told.js";

/** One call of a framework's tool. */
export interface Request {
  readonly args: unknown;
  /** The framework's id of this call. A replay of it, after a restart or a second resume, gets the first outcome. */
  readonly callId: string | undefined;
  readonly caller: Caller | undefined;
  /** Whatever else the call depends on: bound into its hash. */
  readonly context?: unknown;
  readonly stricter?: ToolCall["stricter"];
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for a person; 0 looks once. Left out, until the end. */
  readonly deadline?: number | undefined;
  /** Goes on with this question of the same caller instead of asking anew. */
  readonly approvalId?: string;
  /** Whether nobody waits for the result any more: then an approved call is left for whoever asks again. */
  readonly isGone?: () => boolean;
  /** Awaited right before the tool may run, however long ago it was asked for. Throws when it is not that tool any more. */
  readonly beforeRun?: () => Promise<void>;
  /** Runs the tool itself. Reached only through the gate, at most once, with the arguments that were let through. */
  readonly run: (args: unknown, signal: AbortSignal | undefined) => unknown;
}

/** Thrown by a run of which nobody can tell whether it acted: no report is made, so that its record becomes unknown. */
export class UnknownEnd extends Error {}

/** What a request came to: the outcome, and the live value where this very request ran the tool. */
export interface Ran {
  readonly outcome: Outcome;
  readonly value: unknown;
}

/** A request for a read that waits, and how to run it where it was asked. */
interface LiveRead {
  readonly request: Request;
  readonly args: string;
  readonly run: Request["run"];
}

/** Losing a race for a token is no reason to give up; losing it this often is. */
const MAX_CLAIMS = 5;
const MAX_REPORTS = 3;
/** As much of a tool's error as is kept; a server refuses a report that says far more. */

/**
 * A framework's tool behind a gate. Writes run where the framework called them: the approval's token is spent there, so that
 * the tool has its own request's context and no other's. Reads run inside the gate, which then needs no record of them.
 */
export class AttachedTool {
  readonly tool: AnyTool;
  readonly #gate: GateLike;
  readonly #running = new Map<string, Promise<Ran>>();
  readonly #claiming = new Map<string, Promise<Ran>>();
  readonly #reads = new Set<LiveRead>();
  /** The read that is being asked for here; whoever else asks the same meanwhile has one of their own. */
  readonly #asking = new AsyncLocalStorage<LiveRead>();

  constructor(gate: GateLike, definition: ToolDefinition, hostReads: boolean) {
    this.#gate = gate;
    const hosted = hostReads && definition.effect === "read";
    this.tool = defineTool({
      ...definition,
      ...(hosted ? { execute: (args, context) => this.#runRead(args, context) } : {}),
    });
  }

  /** Passes the gate and tells the outcome as a model should read it. Never rejects: a gate that fails refuses. */
  async tell(make: () => Request): Promise<unknown> {
    try {
      const { outcome, value } = await this.run(make());
      return tell(outcome, value);
    } catch (error) {
      return tellError(error);
    }
  }

  /** Whether a person has to be waited for, for frameworks that pause by themselves. Needs writes and reads to run outside. */
  async mustWait(make: () => Request): Promise<boolean> {
    try {
      return isOpen(await this.look({ ...make(), deadline: 0 }));
    } catch {
      return false;
    }
  }

  /** Passes the gate, waits, runs. Requests with the same id share one run. Rejects when the gate does not take the call. */
  run(request: Request): Promise<Ran> {
    const key = this.#keyOf(request);
    if (key === undefined) return this.#runOnce(request, undefined);
    // Ids are the framework's, and may be the same for two persons: neither is given the other's run (I11).
    const whose = canonicalize([key, ...CALLER_IDS.map((id) => request.caller?.[id] ?? "")]);
    const running = this.#running.get(whose) ?? this.#runOnce(request, key).finally(() => this.#running.delete(whose));
    this.#running.set(whose, running);
    return running;
  }

  /** Where the request stands, waiting as long as it may. Runs nothing: an approved call is pending with its token. */
  async look(request: Request): Promise<Outcome> {
    const { caller, deadline } = request;
    const outcome = await this.#gate.submit(this.#callOf(request, this.#keyOf(request)), caller);
    if (outcome.type !== "pending" || outcome.token !== undefined || deadline === 0) return outcome;
    return this.#gate.resume(outcome.approvalId, caller, waitOf(request));
  }

  async #runOnce(request: Request, idempotencyKey: string | undefined): Promise<Ran> {
    const call = this.#callOf(request, idempotencyKey);
    return this.tool.execute === undefined ? this.#claimAndRun(request, call) : this.#runHosted(request, call);
  }

  async #runHosted(request: Request, call: ToolCall): Promise<Ran> {
    let value: unknown;
    // Whoever approves a read starts it, in another async context: the tool keeps the one it was called in.
    const run = AsyncResource.bind(async (args: unknown, signal: AbortSignal | undefined) => {
      await request.beforeRun?.();
      value = await request.run(args, signal);
      return value;
    });
    const live: LiveRead = { request, args: canonicalize(request.args ?? {}), run };
    this.#reads.add(live);
    try {
      const outcome = await this.#asking.run(live, () => this.#ask(request, call));
      return value === undefined ? ranBefore(outcome) : { outcome, value };
    } finally {
      this.#reads.delete(live);
    }
  }

  /** Finds the request that waits for this read: its own, or after a person's yes one like it. One that is gone took its context with it. */
  #runRead(args: unknown, context: Caller & { readonly signal: AbortSignal }): unknown {
    const text = canonicalize(args);
    const waiting = [...this.#reads].filter(({ request }) => isSameCaller(request.caller, context));
    const own = this.#asking.getStore();
    const live =
      waiting.find((read) => read === own) ??
      waiting.find((read) => read.args === text) ??
      (waiting.length === 1 ? waiting[0] : undefined);
    if (live === undefined) throw new Error("the request that asked for it is gone; ask again");
    return live.run(args, context.signal);
  }

  /** Requests of one question share one claim: each would void the other's token. */
  async #claimAndRun(request: Request, call: ToolCall): Promise<Ran> {
    const outcome = await this.#ask(request, call);
    const { approvalId } = outcome;
    if (!isClaimable(outcome) || approvalId === undefined || request.isGone?.()) return ranBefore(outcome);
    await request.beforeRun?.();
    const claiming =
      this.#claiming.get(approvalId) ?? this.#claim(request, outcome).finally(() => this.#claiming.delete(approvalId));
    this.#claiming.set(approvalId, claiming);
    return claiming;
  }

  async #claim(request: Request, claimable: Outcome): Promise<Ran> {
    let outcome = claimable;
    for (let claims = 0; claims < MAX_CLAIMS && isClaimable(outcome); claims++) {
      const { approvalId, token } = outcome;
      try {
        const claim = await this.#gate.claim({ approvalId, tokenId: token.tokenId }, request.caller);
        return await this.#runClaimed(request, claim);
      } catch (error) {
        // Another process has a newer token, or has run it: its outcome is the outcome.
        if (!LOST_RACE.includes(toCountersignError(error).code)) throw error;
        outcome = await this.#gate.resume(approvalId, request.caller, waitOf(request));
      }
    }
    return ranBefore(outcome);
  }

  async #runClaimed(
    { run, signal, caller }: Request,
    { approvalId, claimId, args }: { readonly approvalId: string; readonly claimId: string; readonly args: unknown },
  ): Promise<Ran> {
    const about = { approvalId, claimId };
    let value: unknown;
    try {
      value = await run(args, signal);
    } catch (error) {
      if (error instanceof UnknownEnd) return { outcome: unknown(approvalId), value };
      return { outcome: await this.#report({ ...about, type: "failed", error: failureText(error) }, caller), value };
    }
    return { outcome: await this.#report({ ...about, type: "succeeded", ...reportedResult(value) }, caller), value };
  }

  /** The tool has run. A gate that cannot write down how it ended makes the record unknown, and so the model is told. */
  async #report(receipt: Parameters<GateLike["finish"]>[0], caller: Caller | undefined): Promise<Outcome> {
    for (let reports = 0; reports < MAX_REPORTS; reports++) {
      try {
        return await this.#gate.finish(receipt, caller);
      } catch {
        // Tried again below; the lease of the claim ends by itself.
      }
    }
    return unknown(receipt.approvalId);
  }

  #callOf({ args, context, stricter }: Request, idempotencyKey: string | undefined): ToolCall {
    return {
      tool: this.tool.name,
      args,
      ...(context === undefined ? {} : { context }),
      ...(stricter === undefined ? {} : { stricter }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
  }

  #ask(request: Request, call: ToolCall): Promise<Outcome> {
    const { deadline, caller, approvalId } = request;
    if (approvalId !== undefined) return this.#gate.resume(approvalId, caller, waitOf(request));
    return deadline === 0 ? this.#gate.submit(call, caller) : this.#gate.run(call, caller, waitOf(request));
  }

  /** Bound to the arguments too: some models number their calls from one again, and another call is not a replay. */
  #keyOf({ callId, caller, args }: Request): string | undefined {
    if (callId === undefined || this.tool.execute !== undefined) return undefined;
    return sha256Hex(canonicalize([this.tool.name, caller?.sessionId ?? "", callId, args ?? {}]));
  }
}

/** Nobody has decided yet. */
export function isOpen(outcome: Outcome): boolean {
  return outcome.type === "pending" && outcome.token === undefined;
}

/** Approved and not run yet, or run already: its result can be had. */
export function mayRun(outcome: Outcome): boolean {
  return outcome.type === "succeeded" || isClaimable(outcome);
}

type Claimable = Extract<Outcome, { type: "pending" }> & Required<Pick<Extract<Outcome, { type: "pending" }>, "token">>;

function isClaimable(outcome: Outcome): outcome is Claimable {
  return outcome.type === "pending" && outcome.token !== undefined;
}

/** What is known of a run that was not this request's. */
function ranBefore(outcome: Outcome): Ran {
  return { outcome, value: outcome.type === "succeeded" ? outcome.result : undefined };
}

const LOST_RACE: readonly string[] = ["token_mismatch", "already_claimed", "not_approved"];

function waitOf({ signal, deadline }: Request): { signal?: AbortSignal; deadline?: number } {
  return {
    // Without either the gate would only look; this waits.
    signal: signal ?? NEVER,
    ...(deadline === undefined ? {} : { deadline }),
  };
}

const NEVER = new AbortController().signal;

const CALLER_IDS = ["userId", "workspaceId", "sessionId", "agentId"] as const;

function isSameCaller(asked: Caller | undefined, context: Caller): boolean {
  return asked === undefined || CALLER_IDS.every((id) => asked[id] === context[id]);
}

const ATTACHED = new WeakMap<GateLike, Map<string, AttachedTool>>();

/**
 * Makes a framework's tool known to the gate. An app that wraps its tools on every request gets the same one again; another
 * definition under a known name is refused, or replaces it where tools change by themselves.
 */
export function attach(gate: GateLike, definition: ToolDefinition, hostReads = true, replace = false): AttachedTool {
  const tools = ATTACHED.get(gate) ?? new Map<string, AttachedTool>();
  ATTACHED.set(gate, tools);
  const attached = new AttachedTool(gate, definition, hostReads);
  const known = tools.get(definition.name);
  if (known !== undefined && known.tool.fingerprint === attached.tool.fingerprint) return known;
  if (known !== undefined && replace) gate.registry.replace(attached.tool);
  else gate.registry.add(attached.tool);
  tools.set(definition.name, attached);
  return attached;
}
