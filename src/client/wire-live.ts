import type { ApprovalState } from "../core/approval.js";
import type { Card } from "../core/card/card.js";
import type { RiskTier } from "../core/risk.js";

/** The forms in which streams and sockets speak. Times are ISO 8601 texts. */

/** Something that happened, as streams tell it. Its details are read where they are kept: by the approval's id. */
export interface LiveEvent {
  /** Its place in the workspace's chain: give the last one seen to go on from there. */
  readonly seq: number;
  /** Noun, then past verb: `approval.created`. `approval.expiring` is a reminder and `stream.reset` says to read lists anew. */
  readonly type: string;
  readonly time: string;
  readonly approvalId?: string;
  readonly tool?: string;
  readonly riskTier?: RiskTier;
  readonly state?: ApprovalState;
  readonly expiresAt?: string;
  /** Who did it; for a resolved approval, who decided. */
  readonly by?: string;
  readonly reason?: string;
  readonly votes?: number;
  readonly quorum?: number;
  readonly revision?: number;
  readonly userId?: string;
  readonly agentId?: string;
  readonly sessionId?: string;
  readonly to?: string;
  readonly grantId?: string;
  readonly deviceId?: string;
  readonly label?: string;
  readonly fingerprint?: string;
  readonly role?: string;
  readonly replacedBy?: string;
}

/** A page of events and where to go on. */
export interface LiveEvents {
  readonly events: readonly LiveEvent[];
  readonly next: number;
}

/** The socket's question to a person's device. */
export interface SkillQuestion {
  readonly type: "app_skill_confirmation_required";
  readonly seq: number;
  readonly payload: {
    /** The approval's id. */
    readonly app_skill_id: string;
    readonly action_type: string;
    readonly skill_id: string;
    readonly app_id: string;
    readonly description: string;
    /** The card; left out where the call is long, and the yes to it then given in the browser. */
    readonly details?: Card;
    readonly expires_at: string;
    /** Tells what this device shows; sent back with the answer. It locates and never authorises. */
    readonly confirmation_token: string;
    /** A yes to this one is given in the browser; a no may be given here. */
    readonly decide_in_browser?: boolean;
  };
}

/** What became of a question, told to every device that may have shown it. */
export interface SkillNews {
  readonly type:
    | "app_skill_approved"
    | "app_skill_completed"
    | "app_skill_rejected"
    | "app_skill_expired"
    | "app_skill_cancelled"
    | "app_skill_expiring";
  readonly seq: number;
  readonly payload: {
    readonly app_skill_id: string;
    readonly skill_id: string;
    readonly at?: string;
    readonly decided_by?: string;
    readonly decided_by_name?: string;
    readonly reason?: string;
    readonly status?: string;
    readonly error?: string;
    readonly expires_at?: string;
  };
}

/** What became of one item of an `app_skill_confirmation_response`. */
export type SkillResult =
  | {
      readonly app_skill_id: string;
      readonly ok: true;
      readonly state: ApprovalState;
      readonly votes: number;
      readonly quorum: number;
    }
  | {
      readonly app_skill_id: string;
      readonly ok: false;
      readonly code: string;
      readonly detail: string;
      readonly decided_by?: string;
      readonly decided_by_name?: string;
    };
