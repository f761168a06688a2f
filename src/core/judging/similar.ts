import type { Json } from "../json.js";
import type { RiskTier } from "../risk.js";

/** What grouping needs of a card; the canonical text has every argument, whatever the card draws of it. */
export interface Groupable {
  readonly approvalId: string;
  readonly tool: string;
  readonly riskTier: RiskTier;
  readonly toolCallHash: string;
  readonly toolCallCanonical: string;
}

/** Questions that one look can answer: the same tool, the same tier, arguments of the same shape. */
export interface SimilarApprovals<Card extends Groupable = Groupable> {
  readonly tool: string;
  readonly riskTier: RiskTier;
  readonly cards: readonly Card[];
  /** Exactly what was shown. Deciding goes by these pairs, so whatever joins later is not included. */
  readonly shown: readonly { readonly approvalId: string; readonly toolCallHash: string }[];
}

/** Groups cards for deciding together, in the order they came. The highest risk always stands alone. */
export function groupSimilar<Card extends Groupable>(cards: readonly Card[]): SimilarApprovals<Card>[] {
  const groups = new Map<string, Card[]>();
  for (const card of cards) {
    const alone = card.riskTier === "R4" ? card.approvalId : "";
    const { args } = JSON.parse(card.toolCallCanonical) as { readonly args: Json };
    const key = JSON.stringify([card.tool, card.riskTier, alone, shapeOf(args)]);
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
