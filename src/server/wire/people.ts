import { z } from "zod";
import { ROLES } from "../identity/principal.js";
import { id, json, text, time } from "./common.js";

export const role = z.enum(ROLES);

/** A token as it stands in a link; whether it is one is found out where it is spent. */
export const linkToken = z.string().min(1).max(200);

/** What WebAuthn asks of the browser, and what it answers. Both are looked at closely where they are made and verified. */
export const ceremony = z.record(z.string(), json).meta({ id: "PasskeyCeremony" });
export const credential = z.record(z.string(), json).meta({ id: "PasskeyCredential" });

const session = {
  sessionId: id,
  kind: z.enum(["web", "cli"]),
  amr: z.enum(["link", "passkey", "device"]),
  strongAuthAt: time.nullable(),
  createdAt: time,
  expiresAt: time,
};

export const sessionView = z.object(session).meta({ id: "Session" });
export const listedSession = z
  .object({ ...session, lastSeenAt: time, current: z.boolean() })
  .meta({ id: "ListedSession" });

const workspaceRef = z.object({ workspaceId: id, name: z.string(), role });

export const me = z
  .object({
    userId: id,
    name: z.string(),
    email: z.string().nullable(),
    workspaces: z.array(workspaceRef),
    workspaceId: id.optional(),
    role: role.optional(),
    groups: z.array(z.string()),
    session: sessionView,
    passkeys: z.number().int(),
    /** How sure this session's answers are that it is this person. */
    assurance: z.enum(["link", "session", "passkey"]),
  })
  .meta({ id: "Me" });

export const passkeyView = z
  .object({
    passkeyId: id,
    label: z.string(),
    createdAt: time,
    lastUsedAt: time.nullable(),
    backedUp: z.boolean(),
  })
  .meta({ id: "Passkey" });

export const member = z
  .object({
    userId: id,
    name: z.string(),
    email: z.string().nullable(),
    role,
    /** The role an invitation named, until an owner has confirmed who came. */
    wantedRole: role.nullable(),
    disabled: z.boolean(),
  })
  .meta({ id: "Member" });

export const group = z.object({ name: z.string(), members: z.array(id) }).meta({ id: "Group" });

/** A one-time link, shown once. */
export const link = z.object({ token: z.string(), url: z.string(), expiresAt: time }).meta({ id: "Link" });

export const joined = z
  .object({ workspaceId: id, userId: id, role, wantedRole: role.nullable() })
  .meta({ id: "Joined" });

export const name = text(200);
