import type { Approval, Person } from "../../src/core/approval.js";
import { isRefusal, type Refusal } from "../../src/core/errors.js";
import type { Move } from "../../src/core/record.js";

export const NOW = 1_000_000;
export const HASH = "a".repeat(64);

/** A pending approval of ann's, asked a moment ago, with whatever the test is about. */
export function approval(over: Partial<Approval> = {}): Approval {
  return {
    approvalId: "a1",
    workspaceId: "home",
    state: "pending",
    revision: 1,
    tool: "tasks.delete",
    toolCallHash: HASH,
    fingerprint: "f1",
    riskTier: "R4",
    hosted: true,
    requester: { userId: "ann", agentId: "helper", sessionId: "s1" },
    audience: { persons: ["ann"], roles: ["approver"], groups: ["night"], quorum: 1, notRequester: false },
    votes: [],
    editors: [],
    requestedAt: NOW - 1_000,
    decideBy: NOW + 1_000,
    epoch: 0,
    ...over,
  } as Approval;
}

export function person(userId: string, over: Partial<Person> = {}): Person {
  return { kind: "person", userId, workspaceId: "home", ...over };
}

/** The refusal's code, or the state a move leads to. */
export function resultOf(result: Move | Refusal): string {
  return isRefusal(result) ? result.refused : `→ ${result.next.state}`;
}

export function moved(result: Move | Refusal): Move {
  if (isRefusal(result)) throw new Error(`refused: ${result.refused}: ${result.message}`);
  return result;
}

export function contentOf(move: Move, index = 0): Record<string, unknown> {
  return JSON.parse(move.entries[index]?.content ?? "{}") as Record<string, unknown>;
}
