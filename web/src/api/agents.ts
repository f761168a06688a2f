import type { RiskTier } from "countersign";

export interface Agent {
  readonly agentId: string;
  readonly name: string;
  readonly kind: "agent" | "automation";
  readonly ceiling: RiskTier | null;
  readonly scopes: readonly string[];
  readonly devices: "approved" | "none";
  readonly revokedAt: string | null;
}

export interface IssuedKey {
  readonly agentId: string;
  readonly apiKey: string;
}

interface KeyView {
  readonly keyId: string;
  readonly hint: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

export interface Usage {
  readonly requests: number;
  readonly keys: readonly KeyView[];
  readonly calls: Readonly<Record<string, number>>;
  /** The latest days, oldest first; on quiet ones nothing. */
  readonly days: readonly { readonly day: string; readonly calls: number }[];
  readonly tools: readonly { readonly tool: string; readonly calls: number }[];
}

export interface Device {
  readonly deviceId: string;
  readonly label: string;
  readonly fingerprint: string;
  readonly status: "pending" | "approved" | "denied" | "revoked";
}

export function agentPath(agentId?: string, more = ""): string {
  return agentId === undefined ? "/v1/agents" : `/v1/agents/${encodeURIComponent(agentId)}${more}`;
}
