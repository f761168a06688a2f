import { type Household, newId } from "./household.js";

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Lists of todos and folders of notes: things with a name that is theirs alone within a workspace. */
export class NamedThings {
  readonly #household: Household;
  readonly #table: "todo_list" | "note_folder";
  readonly #noun: string;

  constructor(household: Household, table: "todo_list" | "note_folder", noun: string) {
    this.#household = household;
    this.#table = table;
    this.#noun = noun;
  }

  all(workspaceId: string): Named[] {
    return this.#household.all<Named>(
      `SELECT id, name FROM ${this.#table} WHERE workspace_id = ? ORDER BY name, id`,
      workspaceId,
    );
  }

  get(workspaceId: string, id: string): Named {
    const found = this.all(workspaceId).find((one) => one.id === id);
    if (found === undefined) throw new Error(`There is no ${this.#noun} ${JSON.stringify(id)}.`);
    return found;
  }

  /** What a preview shows of it; undefined when there is none. */
  nameOf(workspaceId: string, id: string): { readonly name: string } | undefined {
    const found = this.all(workspaceId).find((one) => one.id === id);
    return found && { name: found.name };
  }

  byName(workspaceId: string, name: string): Named | undefined {
    return this.all(workspaceId).find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  }

  create(workspaceId: string, name: string): Named {
    if (this.byName(workspaceId, name) !== undefined) {
      throw new Error(`There is already a ${this.#noun} ${JSON.stringify(name)}.`);
    }
    const id = newId(this.#noun);
    this.#household.run(`INSERT INTO ${this.#table} VALUES (?, ?, ?, ?)`, id, workspaceId, name, this.#household.now());
    return { id, name };
  }

  rename(workspaceId: string, id: string, name: string): { readonly before: Named; readonly after: Named } {
    const before = this.get(workspaceId, id);
    const other = this.byName(workspaceId, name);
    if (other !== undefined && other.id !== id) {
      throw new Error(`There is already a ${this.#noun} ${JSON.stringify(name)}.`);
    }
    this.#household.run(`UPDATE ${this.#table} SET name = ? WHERE workspace_id = ? AND id = ?`, name, workspaceId, id);
    return { before, after: { id, name } };
  }

  delete(workspaceId: string, id: string): void {
    this.get(workspaceId, id);
    this.#household.run(`DELETE FROM ${this.#table} WHERE workspace_id = ? AND id = ?`, workspaceId, id);
  }
}
