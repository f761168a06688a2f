import type { Source } from "../core/engine.js";
import { atLeast } from "../core/risk.js";
import type { Identity } from "./identity/index.js";

/** What an automation key spares: its owner's own script runs unasked up to its ceiling. Agents are gated like everyone. */
export function automationSource({ agents }: Pick<Identity, "agents">): Source {
  return async ({ caller, classification }) => {
    const rights = await agents.rights(caller.workspaceId, caller.agentId);
    if (rights?.kind !== "automation" || rights.ownerId !== caller.userId || rights.ceiling === null) return [];
    if (classification.riskTier === "R4" || !atLeast(rights.ceiling, classification.riskTier)) return [];
    return [{ type: "allow", step: "mode", rules: [`key:automation:${caller.agentId}`] }];
  };
}
