/** Who people are, as the server tells it. Times are ISO 8601 texts. */

export type Role = "owner" | "approver" | "member" | "auditor";

export interface SessionView {
  readonly sessionId: string;
  readonly kind: "web" | "cli";
  /** How it began, or was last elevated. */
  readonly amr: "link" | "passkey" | "device";
  readonly strongAuthAt: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface ListedSession extends SessionView {
  readonly lastSeenAt: string;
  readonly current: boolean;
}

/** Who is signed in; role and groups are those of the workspace that the request names. */
export interface Me {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly workspaces: readonly { readonly workspaceId: string; readonly name: string; readonly role: Role }[];
  readonly workspaceId?: string;
  readonly role?: Role;
  readonly groups: readonly string[];
  readonly session: SessionView;
  readonly passkeys: number;
  /** How sure this session's answers are that it is this person. */
  readonly assurance: "link" | "session" | "passkey";
}

export interface PasskeyView {
  readonly passkeyId: string;
  readonly label: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly backedUp: boolean;
}

export interface MemberView {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  /** The role an invitation named, until an owner has confirmed who came. */
  readonly wantedRole: Role | null;
  readonly disabled: boolean;
}

export interface GroupView {
  readonly name: string;
  readonly members: readonly string[];
}

/** A one-time link, shown once. */
export interface LinkView {
  readonly token: string;
  readonly url: string;
  readonly expiresAt: string;
}
