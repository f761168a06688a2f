import type { Assurance, Person } from "../../core/approval.js";
import type { Caller } from "../../core/call.js";
import { CountersignError } from "../../core/errors.js";
import type { RiskTier } from "../../core/risk.js";

export const ROLES = ["owner", "approver", "member", "auditor"] as const;
export type Role = (typeof ROLES)[number];

/** A signed-in person, before a workspace is chosen. */
export interface Session {
  readonly sessionId: string;
  readonly userId: string;
  readonly kind: "web" | "cli";
  /** How it began, or was last elevated: a one-time link, a passkey, a code approved on another device. */
  readonly amr: "link" | "passkey" | "device";
  /** When a passkey was last shown in this session. */
  readonly strongAuthAt: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A person in one workspace. Made only from a live session and a live membership. */
export interface PersonPrincipal {
  readonly kind: "person";
  readonly userId: string;
  readonly workspaceId: string;
  readonly role: Role;
  readonly groups: readonly string[];
  readonly session: Session;
}

/** An API key in use. There is no way from here to a `Person`, so that nothing a key can do decides. */
export interface AgentPrincipal {
  readonly kind: "agent";
  readonly agentId: string;
  readonly keyId: string;
  readonly workspaceId: string;
  /** The person the agent works for. */
  readonly ownerId: string;
  readonly keyKind: "agent" | "automation";
  /** Up to which tier an automation key runs without asking; absent for agents, which are gated like everyone. */
  readonly ceiling?: RiskTier;
  readonly scopes: readonly string[];
  /** The approved device it speaks from; absent when the agent may be used from anywhere. */
  readonly deviceId?: string;
  /** Set while a rotated key still works: when it stops. */
  readonly retiresAt?: number;
}

export type Principal = PersonPrincipal | AgentPrincipal;

/** Permissions of roles and scopes of keys are two namespaces: no scope can ever mean one of these. */
const PERMISSIONS = {
  owner: ["approval.decide", "approval.read", "key.create", "audit.read", "workspace.manage"],
  approver: ["approval.decide", "approval.read", "key.create"],
  member: ["approval.decide", "approval.read", "key.create"],
  auditor: ["approval.read", "audit.read"],
} as const satisfies Record<Role, readonly string[]>;
export type Permission = (typeof PERMISSIONS)[Role][number];

/** Whose approvals a person sees and decides is the audience's matter; this says what a role may do at all. */
export function may(principal: PersonPrincipal, permission: Permission): boolean {
  const permitted: readonly Permission[] = PERMISSIONS[principal.role];
  return permitted.includes(permission);
}

/** The person as the gate knows one. Takes a person only: agents and keys cannot decide. */
export function personOf(principal: PersonPrincipal): Person {
  return asPerson(principal, "approval.decide", "This role does not decide approvals.");
}

/** The same for looking alone: auditors read and decide nothing. */
export function readerOf(principal: PersonPrincipal): Person {
  return asPerson(principal, "approval.read", "This role does not read approvals.");
}

function asPerson(principal: PersonPrincipal, permission: Permission, refusal: string): Person {
  // Types end at the wire: whoever casts an agent into this place is refused all the same.
  if (principal?.kind !== "person" || !may(principal, permission)) throw new CountersignError("not_permitted", refusal);
  const { userId, workspaceId, role, groups, session } = principal;
  const { sessionId, kind: surface } = session;
  const assurance = assuranceOf(session);
  return { kind: "person", userId, workspaceId, roles: [role], groups, assurance, sessionId, surface };
}

/** How sure it is, by the session alone, that its person is who answers. */
export function assuranceOf({ amr }: Session): Extract<Assurance, "link" | "session" | "passkey"> {
  switch (amr) {
    case "passkey":
      return "passkey";
    case "link":
      return "link";
    case "device":
      return "session";
    default:
      return amr satisfies never;
  }
}

/** A program with the person's terminal can do what the terminal can, so that what is dangerous is decided in a browser. */
export function decidesUpTo(principal: PersonPrincipal): RiskTier {
  return principal.session.kind === "web" ? "R4" : "R2";
}

/** The agent as the gate knows a caller. `sessionId` is the agent's own name for its run, if it gave one. */
export function callerOf(principal: AgentPrincipal, sessionId = principal.keyId, surface = "rest"): Caller {
  const { ownerId, workspaceId, agentId, deviceId } = principal;
  return { userId: ownerId, workspaceId, sessionId, agentId, surface, ...(deviceId === undefined ? {} : { deviceId }) };
}
