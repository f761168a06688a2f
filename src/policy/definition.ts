import type { Assurance } from "../core/approval.js";
import type { RiskTier } from "../core/risk.js";

/** Milliseconds, or a number with its unit: `"90s"`, `"5m"`, `"2h"`, `"1d"`. */
export type Duration = number | string;

/** What a rule does with the calls that match it. */
export const RULE_EFFECTS = ["deny", "confirm", "allow"] as const;
export type RuleEffect = (typeof RULE_EFFECTS)[number];

/** What an approver has to prove when `stepUp` asks for more than usual. */
export const STEP_UPS = ["card", "session", "passkey", "passkey_over_hash"] as const satisfies readonly Assurance[];
export type StepUp = (typeof STEP_UPS)[number];

export const BUDGET_OWNERS = ["session", "user", "tool", "workspace"] as const;
export const BUDGET_UNITS = ["calls", "cost", "rows", "bytes"] as const;

/** Who may answer. Without a name it is whoever may answer by default. */
export interface Approvers {
  /** So many different persons have to approve. */
  readonly count?: number;
  readonly roles?: readonly string[];
  readonly groups?: readonly string[];
  readonly persons?: readonly string[];
  /** The person the call is made for does not count. */
  readonly notRequester?: boolean;
}

/** So much may pass in a window, counted per session, user, tool or workspace. Without a window: per session, while it lasts. */
export interface Budget<Time = Duration> {
  readonly limit: number;
  readonly per: (typeof BUDGET_OWNERS)[number];
  readonly of?: (typeof BUDGET_UNITS)[number];
  readonly window?: Time;
}

/** One rule as it is written. `when` is CEL; `true` matches every call. */
export interface Rule<Time = Duration> {
  readonly id: string;
  readonly when: string | true;
  readonly effect?: RuleEffect;
  /** With `confirm`: no grant and no mode spares this question. */
  readonly always?: boolean;
  /** Told to the person who is asked and to the agent that is refused. */
  readonly reason?: string;
  /** Raises the call to this tier at least. */
  readonly raise?: RiskTier;
  readonly ttl?: Time;
  readonly approvers?: Approvers;
  readonly stepUp?: StepUp;
  readonly budget?: Budget<Time>;
}

export interface Thresholds {
  /** Writes stated with less confidence ask. */
  readonly confidence?: number;
  readonly cost?: number;
  readonly rows?: number;
  readonly bytes?: number;
}

export interface Defaults<Time = Duration> {
  readonly ttl?: Time;
  /** When nobody who may answer is connected. */
  readonly offlineTtl?: Time;
  /** IANA name of the zone that `time` speaks in; UTC without one. */
  readonly timezone?: string;
  /** Where a session works unless a person says otherwise; what lies outside drifts. */
  readonly scope?: { readonly paths?: readonly string[]; readonly domains?: readonly string[] };
  readonly thresholds?: Thresholds;
}

/** Which tiers may be approved on which channel. A channel that is not named may approve all that a channel can prove. */
export type ChannelTiers = Readonly<Partial<Record<"feishu" | "dingtalk" | "slack" | "telegram", readonly RiskTier[]>>>;

/** A policy as it is written, in YAML or as an object. */
export interface PolicyDefinition<Time = Duration> {
  /** Of the format. */
  readonly version: 1;
  readonly defaults?: Defaults<Time>;
  readonly channels?: ChannelTiers;
  readonly rules: readonly Rule<Time>[];
}
