/**
 * How dangerous a call is. R0 only looks; R1 is a reversible write to one's own data; R2 is wider or sensitive; R3 leaves
 * the system, spends, publishes or changes rights; R4 is destructive, irreversible, bulk or cannot be inspected.
 */
export const RISK_TIERS = ["R0", "R1", "R2", "R3", "R4"] as const;
export type RiskTier = (typeof RISK_TIERS)[number];

/** One thing noticed about a call, in words a person can check against the fragment it speaks of. */
export interface Finding {
  /** Stable, snake_case: `delete_without_where`. Catalogues translate by it. */
  readonly code: string;
  readonly riskTier: RiskTier;
  /** One English sentence. */
  readonly text: string;
  /** The exact part of the argument that the sentence speaks of. */
  readonly fragment?: string;
}

/** What an analyser says of one argument. Not inspectable means R4: what cannot be read is never safe. */
export interface Analysis {
  readonly riskTier: RiskTier;
  readonly inspectable: boolean;
  readonly findings: readonly Finding[];
}

export function isRiskTier(value: unknown): value is RiskTier {
  return RISK_TIERS.includes(value as RiskTier);
}

/** Signals only ever raise: the highest tier wins. */
export function highestTier(tiers: Iterable<RiskTier>): RiskTier {
  let highest: RiskTier = "R0";
  for (const tier of tiers) if (atLeast(tier, highest)) highest = tier;
  return highest;
}

export function atLeast(tier: RiskTier, floor: RiskTier): boolean {
  return RISK_TIERS.indexOf(tier) >= RISK_TIERS.indexOf(floor);
}
