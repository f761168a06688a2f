import type { Person } from "../../src/core/approval.js";
import type { Caller } from "../../src/core/call.js";
import type { Requirement } from "../../src/core/judge.js";

/** Everybody and everything the model knows, kept small so that commands meet often. */
export const PEOPLE = {
  ana: { kind: "person", userId: "ana", workspaceId: "w1" },
  ben: { kind: "person", userId: "ben", workspaceId: "w1", roles: ["approver"] },
  cho: { kind: "person", userId: "cho", workspaceId: "w1", roles: ["owner"] },
  dan: { kind: "person", userId: "dan", workspaceId: "w1", roles: ["member"] },
  eve: { kind: "person", userId: "eve", workspaceId: "w2", roles: ["owner"] },
} as const satisfies Record<string, Person>;
export type PersonName = keyof typeof PEOPLE;

export const CALLERS = {
  first: { userId: "ana", workspaceId: "w1", sessionId: "s1", agentId: "bot" },
  second: { userId: "ana", workspaceId: "w1", sessionId: "s2", agentId: "bot" },
  foreign: { userId: "eve", workspaceId: "w2", sessionId: "s1", agentId: "bot" },
} as const satisfies Record<string, Caller>;
export type CallerName = keyof typeof CALLERS;

export const WORKSPACES = ["w1", "w2"] as const;
export type WorkspaceId = (typeof WORKSPACES)[number];

interface ToolFacts extends Requirement {
  /** Runs in the gate's process, or elsewhere. */
  readonly hosted: boolean;
  /** Waits for people. */
  readonly asks: boolean;
}

export type ToolName = "task.update" | "task.note" | "job.update" | "job.note" | "task.joint" | "task.strict";
const JOINT = { persons: ["ana", "ben", "cho"], quorum: 2 };
export const TOOLS: Readonly<Record<ToolName, ToolFacts>> = {
  "task.update": { hosted: true, asks: true },
  "task.note": { hosted: true, asks: false },
  "job.update": { hosted: false, asks: true },
  "job.note": { hosted: false, asks: false },
  "task.joint": { hosted: true, asks: true, ...JOINT },
  "task.strict": { hosted: true, asks: true, ...JOINT, notRequester: true },
};

export interface Args {
  readonly n: number;
  /** Blocks until the test lets it go on. */
  readonly wait: boolean;
  readonly fails: boolean;
}

/** Milliseconds to decide, to claim and to run; short, so that a run of the model passes them all. */
export const TTL = 4_000;
export const CLAIM_WINDOW = 4_000;
export const TIMEOUT = 6_000;
export const PENDING_LIMIT = 3;
