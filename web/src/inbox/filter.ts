import type { RiskTier } from "countersign";
import type { ApprovalView } from "countersign/client";
import { argsOf } from "./groups.js";

export interface Filter {
  readonly text: string;
  readonly tier: RiskTier | "";
  readonly agent: string;
}

export const NO_FILTER: Filter = { text: "", tier: "", agent: "" };

/** Every word of the search stands somewhere: in the question, the tool, the agent, the person or an argument. */
export function matches(approval: ApprovalView, { text, tier, agent }: Filter): boolean {
  if (tier !== "" && approval.riskTier !== tier) return false;
  if (agent !== "" && approval.requester.agentId !== agent) return false;
  if (text.trim() === "") return true;
  const searched = textOf(approval);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

/** An approval that changes is another object, so that what was read of one stays true. */
const texts = new WeakMap<ApprovalView, string>();

/** Of the exact call its arguments alone: hashes and names of fields are in every one, and would match any letter. */
function textOf(approval: ApprovalView): string {
  const known = texts.get(approval);
  if (known !== undefined) return known;
  const { card, tool, requester } = approval;
  const text = [
    card?.humanSummary,
    card?.title,
    card === undefined ? "" : JSON.stringify(argsOf(card.toolCallCanonical)),
    tool,
    ...[requester.agentId, requester.agentName, requester.userId, requester.userName],
  ]
    .join("\n")
    .toLowerCase();
  texts.set(approval, text);
  return text;
}
