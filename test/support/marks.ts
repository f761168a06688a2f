import { newEntry } from "../../src/core/audit.js";
import { newId } from "../../src/core/ids.js";
import type { Change, Store } from "../../src/core/ports.js";

/** A change that leaves a record and an entry. */
export function mark(id: string = newId(), parts: Partial<Change> = {}): Change {
  return {
    changeId: newId(),
    workspaceId: "w1",
    puts: [{ kind: "approval", id, version: 0, value: `mark ${id}` }],
    entries: [newEntry("mark.made", id, {})],
    ...parts,
  };
}

/** What a store has acknowledged, and what of it is gone. The same for every setting, so that its silence means something. */
export class Marks {
  readonly #acknowledged: string[] = [];

  /** Writes one after the other until the server is gone; whatever was not acknowledged may be there or not. */
  async write(store: Store, enough: () => boolean): Promise<void> {
    while (!enough()) {
      const change = mark();
      const [applied] = await store.commit([change]);
      if (applied?.ok) this.#acknowledged.push(change.puts[0]?.id ?? "");
    }
  }

  get count(): number {
    return this.#acknowledged.length;
  }

  async lostIn(store: Store): Promise<string[]> {
    const found = await Promise.all(this.#acknowledged.map((id) => store.get("approval", id)));
    return this.#acknowledged.filter((_, i) => found[i] === undefined);
  }
}
