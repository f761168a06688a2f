import type { ApprovalState, Audience, Card, Json, Resolution, RiskTier } from "countersign";

/** The forms in which the server speaks. Times are ISO 8601 texts. */

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
  readonly resolution?: Omit<Resolution, "at"> & { readonly at: string };
  readonly execution?: {
    readonly startedAt: string;
    readonly finishedAt?: string;
    readonly result?: Json;
    readonly withheld?: boolean;
    readonly error?: string;
  };
  readonly autoApproved: boolean;
  readonly decidedIn?: number;
  readonly supersedes?: string;
  readonly replacedBy?: string;
  readonly erasedAt?: string;
  readonly card?: Card;
}

export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly decidedBy?: string;
}
