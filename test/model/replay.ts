import { ChainVerifier } from "../../src/core/audit.js";
import type { Entry, Store } from "../../src/core/ports.js";
import { WORKSPACES } from "./cast.js";
import type { State } from "./scene.js";

const PAGE = 1_000;

/** What the audit log alone says of one approval. */
export interface Told {
  state: State;
  claims: number;
  revision: number;
  /** Set once somebody has said that it may run. */
  permitted: boolean;
}

/** Follows chains: links have to hold, and the states it reads out of them have to be the stored ones (I7). */
export class Replay {
  readonly told = new Map<string, Told>();
  /** Approvals in the order in which they came into the log. */
  readonly created: string[] = [];
  readonly #verifiers: ReadonlyMap<string, ChainVerifier>;
  readonly #seen = new Map<string, number>();

  constructor(workspaces: readonly string[] = WORKSPACES) {
    this.#verifiers = new Map(workspaces.map((id) => [id, new ChainVerifier(id)]));
  }

  async read(store: Store): Promise<void> {
    for (const [workspaceId, verifier] of this.#verifiers) {
      while (await this.#readPage(store, workspaceId, verifier));
      const head = await store.checkpoint(workspaceId);
      if (head.seq !== (this.#seen.get(workspaceId) ?? 0)) throw new Error(`I7: ${workspaceId} has lost entries`);
    }
  }

  async #readPage(store: Store, workspaceId: string, verifier: ChainVerifier): Promise<boolean> {
    const entries = await store.entries(workspaceId, this.#seen.get(workspaceId) ?? 0, PAGE);
    for (const entry of entries) {
      const bad = verifier.add(entry);
      if (bad) throw new Error(`I7: entry ${bad.seq} of ${workspaceId}: ${bad.problem}`);
      this.#seen.set(workspaceId, entry.seq);
      if (entry.ref !== "") this.#follow(entry);
    }
    return entries.length === PAGE;
  }

  #follow(entry: Entry): void {
    const content = JSON.parse(entry.content ?? "{}") as { as?: State; hosted?: boolean };
    if (entry.type === "approval.created" || entry.type === "call.allowed") {
      this.created.push(entry.ref);
      const allowed = entry.type === "call.allowed";
      this.told.set(entry.ref, { state: "pending", claims: 0, revision: 1, permitted: allowed });
    }
    const told = this.told.get(entry.ref);
    if (told === undefined) throw new Error(`I7: ${entry.type} speaks of an approval that was never created`);
    switch (entry.type) {
      case "approval.edited":
        told.revision++;
        return;
      case "approval.resolved":
        if (!mayEnd(told.state, content.as)) throw new Error(`I4: ${told.state} and then resolved as ${content.as}`);
        told.permitted ||= content.as === "approved";
        told.state = content.as ?? told.state;
        return;
      case "call.claimed":
        if (!told.permitted) throw new Error("I2: claimed before anybody approved");
        told.claims++;
        told.state = "executing";
        return;
      case "call.executed":
        told.state = content.as ?? told.state;
        return;
      case "call.lost":
        told.state = "unknown";
        return;
      case "call.allowed":
        // Where a tool runs is not in the log: an allowed call may be claimed at once or wait for its agent.
        told.state = "approved";
        return;
    }
  }
}

/** One resolution, except that an approval may still end unspent: approved first, then withdrawn or expired. */
function mayEnd(state: State, as: State | undefined): boolean {
  return state === "pending" || (state === "approved" && (as === "expired" || as === "cancelled"));
}
