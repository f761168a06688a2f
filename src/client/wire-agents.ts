import type { RiskTier } from "../core/risk.js";

/** Agents, their keys and the devices these work from, as the server tells them. Times are ISO 8601 texts. */

export interface AgentView {
  readonly agentId: string;
  readonly name: string;
  readonly ownerId: string;
  readonly kind: "agent" | "automation";
  /** Up to which tier an automation runs unasked. */
  readonly ceiling: RiskTier | null;
  readonly scopes: readonly string[];
  readonly devices: "approved" | "none";
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

export interface NewAgent {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly kind?: "agent" | "automation";
  readonly ceiling?: RiskTier;
  readonly devices?: "approved" | "none";
  /** Milliseconds for which its first key lives; 90 days if left out. */
  readonly keyLives?: number;
}

/** Shown once: only its hash is kept. */
export interface IssuedKey {
  readonly agentId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly expiresAt: string;
}

export interface KeyView {
  readonly keyId: string;
  readonly hint: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly supersededBy: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  readonly useCount: number;
}

export interface UsageView {
  readonly agentId: string;
  readonly requests: number;
  readonly lastUsedAt: string | null;
  readonly keys: readonly KeyView[];
  /** What became of its latest calls, by state. */
  readonly calls: Readonly<Record<string, number>>;
  readonly tools: readonly { readonly tool: string; readonly calls: number }[];
  /** How many of them were made on each of the last fourteen days, by the universal clock; oldest first. */
  readonly days: readonly { readonly day: string; readonly calls: number }[];
  /** How many of the latest calls were looked at. */
  readonly counted: number;
}

export interface DeviceView {
  readonly deviceId: string;
  readonly agentId: string;
  readonly label: string;
  readonly fingerprint: string;
  readonly status: "pending" | "approved" | "denied" | "revoked";
  readonly requestedAt: string;
  readonly lastUsedAt: string | null;
  /** While it waits: who asks, what a yes gives, and what to compare before saying it. */
  readonly card?: {
    readonly asks: string;
    readonly agent: string;
    readonly label: string;
    readonly fingerprint: string;
    readonly effect: string;
    readonly requestedAt: string;
    readonly expiresAt: string;
  };
}
