import type { Card, Json } from "countersign";
import type { ApprovalView } from "countersign/client";
import { groupBy } from "../shell/group-by.js";

export interface Group {
  /** The first of its members. */
  readonly id: string;
  readonly members: readonly ApprovalView[];
}

/** Puts similar ones that still wait together, in the place of the first: same tool, agent, tier, and shape of arguments. */
export function grouped(approvals: readonly ApprovalView[]): (ApprovalView | Group)[] {
  return [...groupBy(approvals, keyOf).values()].flatMap((members): (ApprovalView | Group)[] => {
    const [first] = members;
    if (first === undefined) return [];
    return members.length === 1 ? [first] : [{ id: first.approvalId, members }];
  });
}

export function isGroup(row: ApprovalView | Group): row is Group {
  return "members" in row;
}

/** Whether it is that one, or the group that has it. */
export function holds(row: ApprovalView | Group, selected: string | undefined): boolean {
  if (selected === undefined) return false;
  return isGroup(row) ? row.members.some(({ approvalId }) => approvalId === selected) : row.approvalId === selected;
}

/** Lists come without the card of a longer call. It stands alone, so that reading it moves no row. */
const LONG = 65_536;

/** The highest risk always stands alone, and so does what is decided already. */
function keyOf({ approvalId, state, tool, riskTier, requester, card }: ApprovalView): string {
  if (state !== "pending" || riskTier === "R4" || card === undefined) return approvalId;
  if (card.toolCallCanonical.length > LONG) return approvalId;
  const shape = shapes.get(card) ?? JSON.stringify(shapeOf(argsOf(card.toolCallCanonical)));
  shapes.set(card, shape);
  return JSON.stringify([tool, riskTier, requester.agentId, requester.userId, shape]);
}

/** A card never changes; its call is taken apart once, not with every letter of a search. */
const shapes = new WeakMap<Card, string>();

/** The arguments as they are, masked where they are sensitive. */
export function argsOf(canonical: string): Json {
  return (JSON.parse(canonical) as { readonly args: Json }).args;
}

function shapeOf(value: Json): unknown {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  if (Array.isArray(value)) return [...new Set(value.map((item: Json) => JSON.stringify(shapeOf(item))))].sort();
  return Object.entries(value as Readonly<Record<string, Json>>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, shapeOf(item)]);
}

/** One among many alike is what a tired eye misses: the single member whose argument differs from what all others have. */
export function oddOnes(members: readonly ApprovalView[]): ReadonlyMap<string, string> {
  const odd = new Map<string, string>();
  if (members.length < 3) return odd;
  for (const { key } of members[0]?.card?.arguments ?? []) {
    const byValue = groupBy(members, ({ card }) =>
      JSON.stringify(card?.arguments.find((argument) => argument.key === key)?.value ?? null),
    );
    const [alone] = [...byValue.values()].filter((same) => same.length === 1).flat();
    if (byValue.size === 2 && alone !== undefined) odd.set(alone.approvalId, key);
  }
  return odd;
}
