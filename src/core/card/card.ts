import type { SignalSource } from "../classify.js";
import type { RiskTier } from "../risk.js";
import type { Shown } from "../text/shown.js";
import type { ShownValue } from "../text/value.js";
import type { Locale, Warning } from "../tool.js";

/**
 * The wire form of an approval, with the field names the approval protocol fixes. Like everything on a card its texts are
 * safe to draw as they are, and it holds no sensitive value in clear.
 */
export interface ApprovalRequest {
  readonly approvalId: Shown;
  readonly sessionId: Shown;
  readonly runId?: Shown | undefined;
  /**
   * The whole binding as JSON. Parsed, canonicalised and hashed it gives `toolCallHash`, unless values in it are hidden:
   * the hash is that of the real ones. Characters that could play tricks stand as `\uXXXX`.
   */
  readonly toolCallCanonical: Shown;
  /** The question, built from the canonical arguments by the tool's template; never a model's words. */
  readonly humanSummary: Shown;
  readonly riskTier: RiskTier;
  readonly requestedAt: Shown;
  readonly expiresAt: Shown;
  /** Against the superseded plan, or against what the agent proposed before a person edited it. */
  readonly diff?: readonly CardChange[] | undefined;
  readonly suggestedAlternatives?: readonly CardAlternative[] | undefined;
}

/** What a person sees. Surfaces draw it and add nothing. What a card does not have is undefined, and is left out on the wire. */
export interface Card extends ApprovalRequest {
  /** SHA-256 over everything a person is shown in this language; kept with the decision that names it. */
  readonly cardHash: Shown;
  readonly locale: Locale;
  /** Tells approvals apart when read aloud; locates nothing. */
  readonly code: Shown;
  readonly tool: Shown;
  readonly title?: Shown | undefined;
  /** The app or MCP server it belongs to: two tools of one name are told apart by it. */
  readonly app: Shown;
  readonly toolCallHash: Shown;
  readonly revision: number;
  /** "Mail helper, for Ann, asks"; by their ids where they have no names. */
  readonly asks: Shown;
  readonly requester: {
    readonly userId: Shown;
    readonly agentId: Shown;
    /** Chosen by people, not unique: only the ids tell two of one name apart. */
    readonly userName?: Shown;
    readonly agentName?: Shown;
    readonly lineage: readonly Shown[];
  };
  readonly risk: { readonly shape: Shown; readonly word: Shown };
  readonly reasons: readonly CardReason[];
  readonly effects: readonly CardEffect[];
  readonly targets: readonly Shown[];
  readonly warnings: readonly { readonly severity: Warning["severity"]; readonly text: Shown }[];
  readonly arguments: readonly CardArgument[];
  /** Of the arguments: canonical bytes, and how many single values there are. */
  readonly size: { readonly bytes: number; readonly values: number };
  /** Whether the previews alone show everything. If not, a surface that draws previews offers the full view, not a yes. */
  readonly complete: boolean;
  readonly diffAgainst?: "edit" | "plan" | undefined;
  /** What it would do now against what it would have done when the superseded approval was shown. */
  readonly previewDiff?: readonly CardChange[] | undefined;
  readonly rollbackNote?: Shown | undefined;
  readonly isDestructive: boolean;
  readonly quorum: number;
  /** Who has approved so far. The only part that may change while the question stands; not in the hash. */
  readonly votes: readonly Shown[];
  /** The agent's own words on one line, at most 280 characters, not checked by anybody. Shown last. */
  readonly agentSays?: Shown | undefined;
}

export interface CardArgument {
  readonly key: Shown;
  /** The schema's title, otherwise the key. */
  readonly label: Shown;
  readonly value: ShownValue;
}

export interface CardReason {
  readonly source: SignalSource;
  readonly code: Shown;
  readonly riskTier: RiskTier;
  readonly text: Shown;
  readonly fragment?: Shown | undefined;
}

export interface CardEffect {
  readonly kind: Shown;
  readonly count: number;
  /** "deletes 12 tasks · 3 shown". */
  readonly text: Shown;
  readonly samples: readonly Shown[];
}

export interface CardChange {
  readonly type: "add" | "remove" | "replace";
  /** The place, `to[0].name`; empty for the whole value. */
  readonly label: Shown;
  /** What people call it, or the nearest thing around it that has such a name. */
  readonly title?: Shown;
  readonly before?: Shown;
  readonly after?: Shown;
}

export interface CardAlternative {
  readonly tool: Shown;
  readonly args: ShownValue;
}
