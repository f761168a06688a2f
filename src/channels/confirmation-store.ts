import type { Person } from "../core/approval.js";
import type { Caller, ToolCall } from "../core/call.js";
import { toCountersignError } from "../core/errors.js";
import type { Gate } from "../core/gate.js";
import type { Outcome } from "../core/outcome.js";
import { readReply } from "../core/read-reply.js";
import type { ReplyRules } from "../core/reply-rules.js";
import { everyWaiting, type Waiting } from "../core/views.js";

/**
 * Seed E's store of confirmations as a face of the gate: nothing is pending here that is not an approval there, and an answer
 * given elsewhere counts here.
 */
export class ConfirmationStore {
  readonly #gate: Gate;
  readonly #rules: (workspaceId: string) => Promise<ReplyRules>;
  readonly #registered = new Map<string, Map<string, Caller>>();

  constructor(gate: Gate, rules: (workspaceId: string) => Promise<ReplyRules> = (id) => gate.replyRules(id)) {
    this.#gate = gate;
    this.#rules = rules;
  }

  /** Puts a call of this session before people; one that needs nobody runs at once. */
  async register(sessionKey: string, call: ToolCall, caller: Caller): Promise<Outcome> {
    const named = { ...caller, sessionId: sessionKey };
    const outcome = await this.#gate.submit(call, named);
    if (outcome.type === "pending") {
      const ids = this.#registered.get(sessionKey) ?? new Map<string, Caller>();
      this.#registered.set(sessionKey, ids.set(outcome.approvalId, named));
    }
    return outcome;
  }

  /** True and false are a person's yes and no to the one open question of the session; null is neither, and decides nothing. */
  async resolve(sessionKey: string, content: string, person: Person): Promise<boolean | null> {
    const { words, unclear } = await this.#rules(person.workspaceId);
    const said = readReply(content, words);
    const reading = said === "unclear" && unclear === "cancel" ? "deny" : said;
    const card = reading === "unclear" ? undefined : (await this.#onlyOne(sessionKey, person))?.card;
    if (reading === "unclear" || card === undefined) return null;
    const { approvalId, toolCallHash, cardHash } = card.draw();
    await this.#gate.decide({ approvalId, decision: reading, toolCallHash, cardHash }, person);
    return reading === "approve";
  }

  /** The open question of a session, where it has one alone: nobody knows which of two is meant. */
  async #onlyOne(sessionKey: string, person: Person): Promise<Waiting | undefined> {
    let found: Waiting | undefined;
    for await (const waiting of everyWaiting(this.#gate, person)) {
      if (waiting.approval.requester.sessionId !== sessionKey) continue;
      if (found !== undefined) return undefined;
      found = waiting;
    }
    return found;
  }

  /** Withdraws what this session has asked for here and nobody has answered yet. Gives their number. */
  async cancelAll(sessionKey: string, reason?: string): Promise<number> {
    const registered = this.#registered.get(sessionKey) ?? new Map<string, Caller>();
    this.#registered.delete(sessionKey);
    const outcomes = await Promise.all(
      [...registered].map(([approvalId, caller]) =>
        this.#gate.cancel({ approvalId }, caller, reason).catch(unlessEnded),
      ),
    );
    return outcomes.filter((outcome) => outcome?.type === "cancelled").length;
  }
}

/** It was answered, or its time was over: then there is nothing to withdraw. */
function unlessEnded(error: unknown): undefined {
  const { code } = toCountersignError(error);
  if (code !== "already_resolved" && code !== "expired") throw error;
}
