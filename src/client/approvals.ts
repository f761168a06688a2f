import type { Decision } from "../core/decide.js";
import type { Locale } from "../core/tool.js";
import { untilDone } from "./retry.js";
import type { Transport } from "./transport.js";
import type { ApprovalView, DecidedView, Problem } from "./wire.js";

/** An answer names the call that was shown; `assertion` is a passkey's, where the call asks for one. */
export type Answer = Pick<Decision, "decision" | "args" | "scope" | "reason" | "cardHash"> & {
  readonly toolCallHash: string;
  readonly assertion?: unknown;
};

export interface ApprovalPage {
  readonly approvals: readonly ApprovalView[];
  readonly next?: string;
}

const PATIENCE = 15_000;

/** What people do. A key gets no further than here. */
export class Approvals {
  readonly #transport: Transport;
  readonly #locale: Locale | undefined;

  constructor(transport: Transport, locale: Locale | undefined) {
    this.#transport = transport;
    this.#locale = locale;
  }

  /** What waits for this person, oldest first. Of a long call `get` gives the card, the list does not. */
  pending(page: { readonly after?: string; readonly limit?: number } = {}): Promise<ApprovalPage> {
    return this.#transport.json({ path: "/v1/approvals", query: { ...page, locale: this.#locale } });
  }

  get(approvalId: string): Promise<ApprovalView> {
    return this.#transport.json({
      path: `/v1/approvals/${encodeURIComponent(approvalId)}`,
      query: { locale: this.#locale },
    });
  }

  /** One answer. Sent again after a break it is the same answer. */
  decide(approvalId: string, answer: Answer): Promise<DecidedView> {
    return this.#write(`/v1/approvals/${encodeURIComponent(approvalId)}/decision`, answer);
  }

  approve({ approvalId, toolCallHash }: Pick<ApprovalView, "approvalId" | "toolCallHash">): Promise<DecidedView> {
    return this.decide(approvalId, { decision: "approve", toolCallHash });
  }

  deny(
    { approvalId, toolCallHash }: Pick<ApprovalView, "approvalId" | "toolCallHash">,
    reason?: string,
  ): Promise<DecidedView> {
    return this.decide(approvalId, { decision: "deny", toolCallHash, ...(reason === undefined ? {} : { reason }) });
  }

  /** Several at once, each with its own result: a problem has a `code`. */
  decideAll(
    decisions: readonly (Omit<Answer, "assertion"> & { readonly approvalId: string })[],
  ): Promise<{ readonly results: readonly (DecidedView | Problem)[] }> {
    return this.#write("/v1/approvals/decisions", { decisions });
  }

  #write<Body>(path: string, body: unknown): Promise<Body> {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const attempt = () => this.#transport.json<Body>({ method: "POST", path, body, headers });
    return untilDone(attempt, { until: Date.now() + PATIENCE, onRetry: this.#transport.onRetry });
  }
}
