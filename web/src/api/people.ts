export type Role = "owner" | "approver" | "member" | "auditor";

export interface SessionView {
  readonly sessionId: string;
  readonly kind: "web" | "cli";
  readonly amr: "link" | "passkey" | "device";
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface Me {
  readonly userId: string;
  readonly name: string;
  readonly workspaces: readonly { readonly workspaceId: string; readonly name: string; readonly role: Role }[];
  readonly workspaceId?: string;
  readonly role?: Role;
  readonly groups: readonly string[];
  readonly session: SessionView;
  readonly passkeys: number;
  readonly assurance: string;
}

export interface Member {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly wantedRole: Role | null;
  readonly disabled: boolean;
}
