import type { ApprovalState, Audience, Resolution } from "../core/approval.js";
import type { Card } from "../core/card/card.js";
import type { Decided } from "../core/deciding.js";
import type { Json } from "../core/json.js";
import type { RiskTier } from "../core/risk.js";

/** The forms in which the server speaks. Times are ISO 8601 texts. */

export type WireResolution = Omit<Resolution, "at"> & { readonly at: string };

/** Where a question stands and what became of the call, with its card for those who may see it. */
export interface ApprovalView {
  readonly approvalId: string;
  readonly state: ApprovalState;
  readonly tool: string;
  readonly toolCallHash: string;
  readonly riskTier: RiskTier;
  readonly revision: number;
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly requester: { readonly userId: string; readonly agentId: string; readonly sessionId: string };
  readonly audience: Audience;
  readonly votes: readonly { readonly userId: string; readonly at: string; readonly assurance: string }[];
  readonly resolution?: WireResolution;
  readonly execution?: {
    readonly startedAt: string;
    readonly finishedAt?: string;
    readonly result?: Json;
    readonly withheld?: boolean;
    readonly error?: string;
  };
  /** Let through without a question: by a rule, a grant, a setting or a mode. */
  readonly autoApproved: boolean;
  /** Milliseconds from the question to its answer. */
  readonly decidedIn?: number;
  readonly supersedes?: string;
  readonly replacedBy?: string;
  readonly erasedAt?: string;
  readonly card?: Card;
}

export type DecidedView = Omit<Decided, "resolution"> & { readonly resolution?: WireResolution };

/** RFC 9457: what every refusal looks like. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly approvalId?: string;
  readonly decidedBy?: string;
  readonly path?: string;
}
