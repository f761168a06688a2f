import { type Household, newId } from "./household.js";

export const PRIORITIES = ["low", "medium", "high", "urgent"] as const;

/** A task and a todo are one thing: the chat says task, the commands say todo. */
export interface Todo {
  readonly id: string;
  readonly title: string;
  readonly priority: string;
  readonly done: boolean;
  readonly notes?: string;
  readonly dueAt?: string;
  readonly assignedToUserId?: string;
  readonly listId?: string;
  readonly revision: number;
}

export interface NewTodo {
  readonly title: string;
  readonly priority?: string | undefined;
  readonly notes?: string | undefined;
  readonly dueAt?: string | undefined;
  readonly assignedToUserId?: string | undefined;
  readonly listId?: string | undefined;
  readonly demo?: boolean;
}

export interface TodoPatch extends Omit<NewTodo, "demo" | "title"> {
  readonly title?: string | undefined;
  readonly done?: boolean | undefined;
}

interface Row {
  readonly id: string;
  readonly title: string;
  readonly priority: string;
  readonly done_at: string | null;
  readonly notes: string | null;
  readonly due_at: string | null;
  readonly assigned_to: string | null;
  readonly list_id: string | null;
  readonly revision: number;
}

export interface TodoFilter {
  readonly status?: "open" | "done" | "all" | undefined;
  readonly listId?: string | undefined;
  readonly limit?: number | undefined;
}

const LIMIT = 1_000;
/** Open ones first, then by date, those without one last. */
const ORDER = "ORDER BY done_at IS NOT NULL, due_at IS NULL, due_at, created_at, rowid";

export class Todos {
  readonly #household: Household;

  constructor(household: Household) {
    this.#household = household;
  }

  list(workspaceId: string, { status = "open", listId, limit = LIMIT }: TodoFilter = {}): Todo[] {
    const done = { open: "AND done_at IS NULL", done: "AND done_at IS NOT NULL", all: "" }[status];
    const within = listId === undefined ? "" : "AND list_id = ?";
    const sql = `SELECT * FROM todo WHERE workspace_id = ? ${done} ${within} ${ORDER} LIMIT ?`;
    return this.#household
      .all<Row>(sql, ...(listId === undefined ? [workspaceId] : [workspaceId, listId]), limit)
      .map(todoOf);
  }

  find(workspaceId: string, id: string): Todo | undefined {
    const row = this.#household.get<Row>("SELECT * FROM todo WHERE workspace_id = ? AND id = ?", workspaceId, id);
    return row && todoOf(row);
  }

  get(workspaceId: string, id: string): Todo {
    const todo = this.find(workspaceId, id);
    if (todo === undefined) throw new Error(`There is no task ${JSON.stringify(id)}.`);
    return todo;
  }

  create(workspaceId: string, userId: string, todo: NewTodo): Todo {
    const { title, priority = "medium", notes, dueAt, assignedToUserId, listId, demo } = todo;
    if (listId !== undefined) this.#checkList(workspaceId, listId);
    const id = newId("todo");
    this.#household.run(
      `INSERT INTO todo (id, workspace_id, list_id, title, notes, priority, due_at, assigned_to, created_by, created_at, demo)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, workspaceId, listId ?? null, title, notes ?? null, priority, dueAt ?? null, assignedToUserId ?? null],
      ...[userId, this.#household.now(), demo === true ? 1 : 0],
    );
    return this.get(workspaceId, id);
  }

  /** Changes what the patch names and nothing else. Gives the todo as it was and as it is. */
  update(workspaceId: string, id: string, patch: TodoPatch): { readonly before: Todo; readonly after: Todo } {
    const before = this.get(workspaceId, id);
    const next = { ...before, ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) };
    if (patch.listId !== undefined) this.#checkList(workspaceId, patch.listId);
    this.#household.run(
      `UPDATE todo SET title = ?, priority = ?, notes = ?, due_at = ?, assigned_to = ?, list_id = ?,
         done_at = CASE WHEN ? = 0 THEN NULL ELSE COALESCE(done_at, ?) END, revision = revision + 1
       WHERE workspace_id = ? AND id = ?`,
      ...[next.title, next.priority, next.notes ?? null, next.dueAt ?? null, next.assignedToUserId ?? null],
      ...[next.listId ?? null, next.done ? 1 : 0, this.#household.now(), workspaceId, id],
    );
    return { before, after: this.get(workspaceId, id) };
  }

  /** Deletes these for good and says how many there were. */
  delete(workspaceId: string, ids: readonly string[]): number {
    const remove = (id: string) =>
      this.#household.run("DELETE FROM todo WHERE workspace_id = ? AND id = ?", workspaceId, id);
    return ids.reduce((count, id) => count + remove(id), 0);
  }

  #checkList(workspaceId: string, listId: string): void {
    const list = this.#household.get("SELECT id FROM todo_list WHERE workspace_id = ? AND id = ?", workspaceId, listId);
    if (list === undefined) throw new Error(`There is no list ${JSON.stringify(listId)}.`);
  }
}

function todoOf(row: Row): Todo {
  return {
    id: row.id,
    title: row.title,
    priority: row.priority,
    done: row.done_at !== null,
    ...(row.notes === null ? {} : { notes: row.notes }),
    ...(row.due_at === null ? {} : { dueAt: row.due_at }),
    ...(row.assigned_to === null ? {} : { assignedToUserId: row.assigned_to }),
    ...(row.list_id === null ? {} : { listId: row.list_id }),
    revision: row.revision,
  };
}
