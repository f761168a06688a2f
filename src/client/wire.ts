import type { ApprovalState, Audience, Resolution } from "../core/approval.js";
import type { Card } from "../core/card/card.js";
import type { Decided } from "../core/deciding.js";
import type { Json } from "../core/json.js";
import type { RiskTier } from "../core/risk.js";

/** The forms in which the server speaks. Times are ISO 8601 texts. */

type WireResolution = Omit<Resolution, "at"> & { readonly at: string };

/** What somebody is called beside their id, where the server knows it: chosen by people, made safe to draw, not unique. */
interface Named {
  readonly userName?: string;
}

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
  readonly requester: Named & {
    readonly userId: string;
    readonly agentId: string;
    readonly agentName?: string;
    readonly sessionId: string;
  };
  readonly audience: Audience;
  readonly votes: readonly (Named & { readonly userId: string; readonly at: string; readonly assurance: string })[];
  readonly resolution?: WireResolution & { readonly byName?: string };
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
  /** Whose answer is waited for first, while it is pending. */
  readonly handedTo?: Named & { readonly userId: string; readonly by: string; readonly byName?: string };
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
  readonly decidedByName?: string;
  readonly path?: string;
}
