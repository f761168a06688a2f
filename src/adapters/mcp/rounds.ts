import { randomBytes } from "node:crypto";
import { sha256Hex } from "../../core/ids.js";
import { canonicalize } from "../../core/json.js";
import type { Params } from "./message.js";

const OURS = "countersign.";
const LIFETIME = 10 * 60_000;
/** Clients and servers that leave rounds open must not fill the memory. */
const MAX_OPEN = 10_000;

/**
 * Rounds of calls that take more than one request. What a client sends back is only a handle: what it stands for is kept here,
 * bound to the tool and its arguments, for one use within ten minutes.
 */
export class Rounds {
  readonly #open = new Map<string, { readonly about: string; readonly approvalId: string; readonly until: number }>();
  /** Rounds that a server behind the gateway has begun in a call that was let through, and until when each may go on. */
  readonly #continued = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  begin(tool: string, params: Params, approvalId: string): string {
    const state = `${OURS}${randomBytes(32).toString("base64url")}`;
    keep(this.#open, state, { about: aboutOf(tool, params), approvalId, until: this.#now() + LIFETIME });
    return state;
  }

  /** The approval a client answers; false when it sends a state of ours that does not hold, undefined when it sends none. */
  take(tool: string, params: Params): string | false | undefined {
    const state = params["requestState"];
    if (typeof state !== "string" || !state.startsWith(OURS)) return undefined;
    const round = this.#open.get(state);
    this.#open.delete(state);
    const holds = round !== undefined && round.about === aboutOf(tool, params) && this.#now() < round.until;
    return holds && round.approvalId;
  }

  /** The server wants more from the client before it finishes this very call. */
  continues(tool: string, params: Params, requestState: unknown): void {
    keep(this.#continued, continuationOf(tool, params, requestState), this.#now() + LIFETIME);
  }

  /** Whether this request goes on with a call that was let through; once for each round. */
  isContinuation(tool: string, params: Params): boolean {
    if (params["inputResponses"] === undefined && params["requestState"] === undefined) return false;
    const round = continuationOf(tool, params, params["requestState"]);
    const until = this.#continued.get(round);
    this.#continued.delete(round);
    return until !== undefined && this.#now() < until;
  }
}

/** The oldest make room. */
function keep<Value>(rounds: Map<string, Value>, round: string, value: Value): void {
  for (const oldest of rounds.keys()) {
    if (rounds.size < MAX_OPEN) break;
    rounds.delete(oldest);
  }
  rounds.set(round, value);
}

function aboutOf(tool: string, params: Params): string {
  return sha256Hex(canonicalize([tool, params["arguments"] ?? {}]));
}

function continuationOf(tool: string, params: Params, requestState: unknown): string {
  return `${aboutOf(tool, params)} ${typeof requestState === "string" ? requestState : ""}`;
}
