export interface Member {
  readonly userId: string;
  readonly name: string;
}

/** Who belongs to a workspace. The host knows; the assistant only asks. */
export type Members = (workspaceId: string) => readonly Member[];
