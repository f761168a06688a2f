/** Who may answer besides the person a call is made for, unless something says otherwise. */
export const DEFAULT_ROLES: readonly string[] = ["owner", "approver"];
