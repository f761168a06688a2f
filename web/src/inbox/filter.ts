import type { RiskTier } from "countersign";
import type { ApprovalView } from "countersign/client";

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
  const { card, tool, requester } = approval;
  const searched = [
    card?.humanSummary,
    card?.title,
    card?.toolCallCanonical,
    tool,
    ...[requester.agentId, requester.agentName, requester.userId, requester.userName],
  ]
    .join("\n")
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
