import type { Caller } from "../../core/call.js";
import { CountersignError } from "../../core/errors.js";
import { isOpen, type Request } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import { tellError } from "../told.js";
import { type AskingOptions, type Pending, questionFor, readAnswer } from "./asking.js";
import type { Catalog, KnownTool } from "./catalog.js";
import type { Abilities, ClientState } from "./client-state.js";
import type { Link } from "./link.js";
import { type Answer, INVALID_PARAMS, type Params, progressTokenOf, type RpcRequest, rpcError } from "./message.js";
import { blocked, recorded, resultOf, toldResult } from "./results.js";
import { Rounds } from "./rounds.js";

export interface CallOptions extends AskingOptions {
  /** Milliseconds a call is held for a client that cannot be told of progress; many give up after a minute. */
  readonly holdFor: number;
  /** Milliseconds between two words of progress. */
  readonly progressEvery: number;
}

/** What gated calls need of the client's connection. */
export interface Upstream {
  readonly client: ClientState;
  caller(): Caller | undefined;
  /** Whether the client has left. Its questions stay open for when it comes back. */
  isGone(): boolean;
  notify(method: string, params: Params, about: RpcRequest): void;
  /** Asks the client; aborting takes the question back. */
  ask(method: string, params: Params, about: RpcRequest, signal: AbortSignal): Promise<Answer>;
}

/** A call on its way, with everything that was found out about it. */
interface Course {
  readonly link: Link;
  readonly catalog: Catalog;
  readonly tool: KnownTool;
  readonly request: RpcRequest;
  readonly params: Params;
  readonly signal: AbortSignal;
  readonly can: Abilities;
  live: Answer | undefined;
}

/** `tools/call` behind the gate: nothing reaches a server's tool but through here. */
export class GatedCalls {
  readonly #gate: GateLike;
  readonly #upstream: Upstream;
  readonly #options: CallOptions;
  readonly #rounds = new Rounds();

  constructor(gate: GateLike, upstream: Upstream, options: CallOptions) {
    this.#gate = gate;
    this.#upstream = upstream;
    this.#options = options;
  }

  /** `name` is the tool's own name at its server. */
  async call(link: Link, catalog: Catalog, name: string, request: RpcRequest, signal: AbortSignal): Promise<Answer> {
    const params = { ...request.params, name };
    const can = this.#upstream.client.abilities(params);
    const tool = await catalog.find(name, can.modern ? ownMeta(params) : undefined);
    if (tool === undefined) return rpcError(INVALID_PARAMS, `Unknown tool: ${name}`);
    const id = tool.attached.tool.name;
    if (this.#rounds.isContinuation(id, params)) return this.#forward(link, id, request, params, signal);
    const answered = this.#rounds.take(id, params);
    if (answered === false) return rpcError(INVALID_PARAMS, "Invalid or expired requestState");
    const answer = await this.#passOrRefuse(
      { link, catalog, tool, request, params, signal, can, live: undefined },
      answered,
    );
    return can.modern && "result" in answer ? { result: { resultType: "complete", ...answer.result } } : answer;
  }

  async #passOrRefuse(course: Course, answered: string | undefined): Promise<Answer> {
    try {
      return await this.#pass(course, answered);
    } catch (error) {
      return toldResult(tellError(error), course.tool.listed.outputSchema !== undefined);
    }
  }

  async #pass(course: Course, answered: string | undefined): Promise<Answer> {
    const { tool, can } = course;
    const first = await tool.attached.run(this.#request(course, 0));
    if (!isOpen(first.outcome)) return this.#answer(course, first.outcome, false);
    const pending = first.outcome as Pending;
    if (can.modern && answered === undefined) {
      const question = this.#questionOf(course, pending);
      if (question !== undefined) return this.#askByRound(course, pending, question.params);
    }
    if (answered === pending.approvalId) await this.#heard(course, pending, roundAnswer(course.params));
    const { outcome } = await this.#hold(course, pending);
    return this.#answer(course, outcome, true);
  }

  /** Waits for people, as long as the client bears it, and lets the client's own person say no meanwhile. */
  async #hold(course: Course, pending: Pending) {
    const { params, can, tool } = course;
    const over = new AbortController();
    const progresses = this.#progress(course.request, params, pending, over.signal);
    // The question stands wherever else it is shown; a client that cannot show it must not end the call.
    if (!can.modern) this.#askDirectly(course, pending, over.signal).catch(() => {});
    try {
      const request = this.#request(course, progresses ? undefined : this.#options.holdFor);
      return await tool.attached.run({ ...request, approvalId: pending.approvalId });
    } finally {
      over.abort();
    }
  }

  #progress(request: RpcRequest, params: Params, pending: Pending, over: AbortSignal): boolean {
    const progressToken = progressTokenOf(params);
    if (progressToken === undefined) return false;
    const url = this.#options.approvalUrl?.(pending.approvalId);
    const message = `Waiting for a person: ${pending.card.humanSummary}${url === undefined ? "" : ` ${url}`}`;
    let progress = 0;
    const tell = () => {
      progress += 1;
      this.#upstream.notify("notifications/progress", { progressToken, progress, message }, request);
    };
    tell();
    const timer = setInterval(tell, this.#options.progressEvery);
    over.addEventListener("abort", () => clearInterval(timer), { once: true });
    return true;
  }

  /** The older way: the gateway asks the client while the call waits. */
  async #askDirectly(course: Course, pending: Pending, over: AbortSignal): Promise<void> {
    const question = this.#questionOf(course, pending);
    if (question === undefined) return;
    const answer = await this.#upstream.ask("elicitation/create", question.params, course.request, over);
    // A client that cannot answer after all leaves the question to the others who can.
    if (over.aborted || !("result" in answer)) return;
    await this.#heard(course, pending, answer.result);
  }

  /** The current way: the client asks its person and makes the call again, with a handle that stands for this question. */
  #askByRound({ tool, params }: Course, { approvalId }: Pending, asked: Params): Answer {
    const requestState = this.#rounds.begin(tool.attached.tool.name, params, approvalId);
    const inputRequests = { [ROUND]: { method: "elicitation/create", params: asked } };
    return { result: { resultType: "input_required", inputRequests, requestState } };
  }

  /** The client may withdraw the call. It approves only where its owner said so, and what the owner's rules leave to it. */
  async #heard(course: Course, pending: Pending, response: unknown): Promise<void> {
    const { approvalId, card } = pending;
    const question = this.#questionOf(course, pending);
    const said = readAnswer(response, { mayApprove: question?.mayApprove ?? false });
    if (said === "withdraw") await this.#gate.cancel({ approvalId }, this.#upstream.caller(), "declined in the client");
    if (said !== "approve") return;
    const { toolCallHash, cardHash } = card;
    await this.#options.trust?.decide({ approvalId, toolCallHash, cardHash, decision: "approve" });
  }

  #questionOf({ can }: Course, pending: Pending) {
    return questionFor(pending, can, this.#upstream.client.info, this.#options);
  }

  #answer(course: Course, outcome: Parameters<typeof resultOf>[0], held: boolean): Answer {
    const { tool, catalog, live } = course;
    const hasOutputSchema = tool.listed.outputSchema !== undefined;
    if (outcome.type === "pending")
      return blocked(outcome, this.#options.approvalUrl?.(outcome.approvalId), hasOutputSchema);
    if (held && live !== undefined) catalog.accept(tool);
    return resultOf(outcome, live, hasOutputSchema);
  }

  #request(course: Course, deadline: number | undefined): Request {
    const { link, tool, request, params, signal } = course;
    const changes = tool.changes();
    // Said with the call as well as in its preview: behind a server the preview, which is code, is not there to ask.
    const changed = changes.length === 0 ? {} : { context: { changes }, stricter: { confirm: true } as const };
    return {
      args: params["arguments"] ?? {},
      ...changed,
      // Calls have no id that a retry would carry: identical calls of a session join while they are open.
      callId: undefined,
      caller: this.#upstream.caller(),
      signal,
      deadline,
      isGone: () => this.#upstream.isGone(),
      beforeRun: () => this.#checkUnchanged(course),
      run: async (args, running) => {
        const effective = { ...withoutRound(params), arguments: args };
        course.live = await this.#forward(link, tool.attached.tool.name, request, effective, running ?? signal);
        return recorded(course.live);
      },
    };
  }

  /** The server may have said meanwhile that its tools are others now; then they are read again first (attack A11). */
  async #checkUnchanged({ catalog, tool, can, params }: Course): Promise<void> {
    const { name } = tool.listed;
    const now = await catalog.find(name, can.modern ? ownMeta(params) : undefined);
    if (now?.attached.tool.fingerprint === tool.attached.tool.fingerprint) return;
    throw new CountersignError("tool_changed", `"${name}" is not the tool it was when it was shown. Ask again.`);
  }

  /** To the server. One that needs more from its client for this very call gets it without a second question. */
  async #forward(link: Link, id: string, request: RpcRequest, params: Params, signal: AbortSignal): Promise<Answer> {
    const answer = await link.request("tools/call", params, request.id, signal);
    if ("result" in answer && answer.result["resultType"] === "input_required")
      this.#rounds.continues(id, params, answer.result["requestState"]);
    return answer;
  }
}

const ROUND = "countersign";

function roundAnswer(params: Params): unknown {
  return (params["inputResponses"] as Record<string, unknown> | undefined)?.[ROUND];
}

/** Who the client is, for a request of the gateway's own; progress is not asked for. */
function ownMeta({ _meta: meta = {} }: Params): Params["_meta"] {
  const { progressToken: _token, ...rest } = meta;
  return rest;
}

function withoutRound({ requestState: _state, inputResponses: _responses, ...params }: Params): Params {
  return params;
}
