import { type Household, newId } from "./household.js";

export interface Note {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly folderId?: string;
  readonly revision: number;
}

interface Row extends Omit<Note, "folderId"> {
  readonly folder_id: string | null;
}

export interface NewNote {
  readonly title: string;
  readonly body: string;
  readonly folderId?: string | undefined;
}

export class Notes {
  readonly #household: Household;

  constructor(household: Household) {
    this.#household = household;
  }

  list(workspaceId: string, folderId?: string): Note[] {
    const within = folderId === undefined ? "" : "AND folder_id = ?";
    const sql = `SELECT * FROM note WHERE workspace_id = ? ${within} ORDER BY created_at, rowid LIMIT 1000`;
    return this.#household.all<Row>(sql, workspaceId, ...(folderId === undefined ? [] : [folderId])).map(noteOf);
  }

  get(workspaceId: string, id: string): Note {
    const row = this.#household.get<Row>("SELECT * FROM note WHERE workspace_id = ? AND id = ?", workspaceId, id);
    if (row === undefined) throw new Error(`There is no note ${JSON.stringify(id)}.`);
    return noteOf(row);
  }

  create(workspaceId: string, userId: string, { title, body, folderId }: NewNote): Note {
    const id = newId("note");
    this.#household.run(
      "INSERT INTO note (id, workspace_id, folder_id, title, body, created_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ...[id, workspaceId, folderId ?? null, title, body, userId, this.#household.now()],
    );
    return this.get(workspaceId, id);
  }

  update(
    workspaceId: string,
    id: string,
    { title, body }: { readonly title?: string | undefined; readonly body?: string | undefined },
  ): { readonly before: Note; readonly after: Note } {
    const before = this.get(workspaceId, id);
    this.#household.run(
      "UPDATE note SET title = ?, body = ?, revision = revision + 1 WHERE workspace_id = ? AND id = ?",
      ...[title ?? before.title, body ?? before.body, workspaceId, id],
    );
    return { before, after: this.get(workspaceId, id) };
  }

  delete(workspaceId: string, ids: readonly string[]): number {
    const remove = (id: string) =>
      this.#household.run("DELETE FROM note WHERE workspace_id = ? AND id = ?", workspaceId, id);
    return ids.reduce((count, id) => count + remove(id), 0);
  }
}

function noteOf({ folder_id, id, title, body, revision }: Row): Note {
  return { id, title, body, ...(folder_id === null ? {} : { folderId: folder_id }), revision };
}
