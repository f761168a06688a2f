import type { Card } from "../card.js";
import type { Json } from "../json.js";
import type { RiskTier } from "../risk.js";

/** Questions that one look can answer: the same tool, the same tier, arguments of the same shape. */
export interface SimilarApprovals {
  readonly tool: string;
  readonly riskTier: RiskTier;
  readonly cards: readonly Card[];
  /** Exactly what was shown. Deciding goes by these pairs, so whatever joins later is not included. */
  readonly shown: readonly { readonly approvalId: string; readonly toolCallHash: string }[];
}

/** Groups cards for deciding together, in the order they came. The highest risk always stands alone. */
export function groupSimilar(cards: readonly Card[]): SimilarApprovals[] {
  const groups = new Map<string, Card[]>();
  for (const card of cards) {
    const alone = card.riskTier === "R4" ? card.approvalId : "";
    const shape = card.arguments.map(({ key, value }) => [key, shapeOf(value)]);
    const key = JSON.stringify([card.tool, card.riskTier, alone, shape]);
    groups.set(key, [...(groups.get(key) ?? []), card]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [Card];
    const shown = group.map(({ approvalId, toolCallHash }) => ({ approvalId, toolCallHash }));
    return { tool: first.tool, riskTier: first.riskTier, cards: group, shown };
  });
}

/** The kinds of values, without the values. Lists of the same kind of item are alike, however long. */
function shapeOf(value: Json): unknown {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  if (Array.isArray(value)) return [...new Set(value.map((item: Json) => JSON.stringify(shapeOf(item))))].sort();
  return Object.keys(value)
    .sort()
    .map((key) => [key, shapeOf((value as { readonly [key: string]: Json })[key] as Json)]);
}
