import { randomUUID } from "node:crypto";
import type { Decision } from "../../core/decide.js";
import type { Outcome } from "../../core/outcome.js";
import { cardText } from "./card-text.js";
import type { Abilities, ClientInfo } from "./client-state.js";
import type { Params } from "./message.js";

export type Pending = Extract<Outcome, { type: "pending" }>;

/** Clients whose answers the owner takes for a person's, for what is not dangerous. */
export interface Trust {
  /** Names of clients, as they introduce themselves. */
  readonly clients: readonly string[];
  /** Gives the answer as the person at that client, with the assurance `client`. */
  readonly decide: (decision: Decision) => Promise<unknown>;
}

export interface AskingOptions {
  /** Where people answer, for example the page of this approval in the web view. */
  readonly approvalUrl?: (approvalId: string) => string;
  readonly trust?: Trust;
}

/** A question as the client can show it. */
export interface Question {
  readonly params: Params;
  /** Whether the answer may be a yes. */
  readonly mayApprove: boolean;
}

/** Beyond this nobody reads a dialog, so that it must not have a button that says yes. */
const MAX_SHOWN = 2_000;
const CLIENT_TIERS: readonly string[] = ["R0", "R1", "R2"];

/** The best question this client can show: a link to where people answer, else a form; none when it can show neither. */
export function questionFor(
  pending: Pending,
  can: Pick<Abilities, "url" | "form">,
  client: ClientInfo,
  { approvalUrl, trust }: AskingOptions,
): Question | undefined {
  const url = approvalUrl?.(pending.approvalId);
  const mayApprove = can.form && trust !== undefined && isTrusted(pending, client, trust);
  const { humanSummary, code } = pending.card;
  if (url !== undefined && can.url && !mayApprove) {
    const message = `${humanSummary} (${code}) Open the page to see the whole call and to answer.`;
    return { params: { mode: "url", message, url, elicitationId: randomUUID() }, mayApprove: false };
  }
  if (!can.form) return undefined;
  const where = url === undefined ? "in Countersign" : `at ${url}`;
  const message = mayApprove
    ? cardText(pending.card)
    : `${humanSummary} (${code}) It can be approved ${where}; here it can only be refused.`;
  const answers = mayApprove ? ["approve", "deny"] : ["wait", "deny"];
  const requestedSchema = {
    type: "object",
    properties: { answer: { type: "string", title: "Answer", enum: answers } },
    required: ["answer"],
  };
  return { params: { mode: "form", message, requestedSchema }, mayApprove };
}

function isTrusted(pending: Pending, client: ClientInfo, { clients }: Trust): boolean {
  const { riskTier, quorum } = pending.card;
  if (!clients.includes(client.name) || !CLIENT_TIERS.includes(riskTier) || quorum > 1) return false;
  return cardText(pending.card).length <= MAX_SHOWN;
}

export type ClientAnswer = "approve" | "withdraw" | "wait";

/** What the client's answer comes to. Only the very word, where it may be said, approves; a closed dialog withdraws. */
export function readAnswer(response: unknown, { mayApprove }: Pick<Question, "mayApprove">): ClientAnswer {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: { answer?: unknown } };
  if (action !== "accept") return "withdraw";
  if (content?.answer === "deny") return "withdraw";
  return mayApprove && content?.answer === "approve" ? "approve" : "wait";
}
