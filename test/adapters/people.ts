/** The person who answers in the tests of adapters, and the agent that asks. */
export const ANN = { kind: "person", userId: "ann", workspaceId: "home" } as const;
export const CALLER = { userId: "ann", workspaceId: "home", sessionId: "s1", agentId: "agent-7" } as const;
