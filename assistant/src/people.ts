export interface Member {
  readonly userId: string;
  readonly name: string;
}

/** Who belongs to a workspace now. The host knows; the assistant only asks, each time anew. */
export type Members = (workspaceId: string) => readonly Member[] | Promise<readonly Member[]>;
