import { existsSync, readFileSync } from "node:fs";
import type { Approval } from "../../src/core/approval.js";
import { decodeApproval } from "../../src/core/codec.js";
import type { Store } from "../../src/core/ports.js";
import { sqliteStore } from "../../src/stores/sqlite.js";
import { Replay } from "../model/replay.js";
import type { Told } from "./child.js";

/** Follows one file. */
export function evidenceIn({ file, sink }: { readonly file: string; readonly sink: string }): Evidence {
  return new Evidence(sqliteStore(file, { worker: false }), sink);
}

/** Follows one store from outside: what the log says, what the records say, and what really happened. */
export class Evidence {
  readonly store: Store;
  readonly replay: Replay;
  readonly approvals = new Map<string, Approval>();
  readonly #sink: string;
  #known = 0;
  readonly #open = new Set<string>();

  constructor(store: Store, sink: string, workspaces?: readonly string[]) {
    this.store = store;
    this.replay = new Replay(workspaces);
    this.#sink = sink;
  }

  /** Reads what is new. Only what had not ended can have changed. */
  async look(): Promise<void> {
    await this.replay.read(this.store);
    for (const id of this.replay.created.slice(this.#known)) this.#open.add(id);
    this.#known = this.replay.created.length;
    for (const id of [...this.#open]) {
      const record = await this.store.get("approval", id);
      if (record === undefined) throw new Error(`the record of ${id} is gone (I5)`);
      const approval = decodeApproval(record);
      this.approvals.set(id, approval);
      if (["succeeded", "failed", "denied", "expired", "cancelled"].includes(approval.state)) this.#open.delete(id);
    }
  }

  effects(): string[] {
    return existsSync(this.#sink) ? readFileSync(this.#sink, "utf8").split("\n").filter(Boolean) : [];
  }

  inState(state: Approval["state"]): string[] {
    return [...this.approvals.values()]
      .filter((approval) => approval.state === state)
      .map(({ approvalId }) => approvalId);
  }

  /** Everything that must hold after any number of crashes, as the list of what does not. */
  broken(told: readonly Told[]): string[] {
    const all = this.effects();
    const effects = new Set<string>();
    const twice = all.filter((id) => effects.has(id) || !effects.add(id)).map((id) => `I1: ${id} happened twice`);
    const unasked = all
      .filter((id) => !this.replay.told.get(id)?.permitted)
      .map((id) => `I2: ${id} happened without permission`);
    const running = this.inState("executing").map((id) => `I6: ${id} still counts as running`);
    const silent = all
      .filter((id) => !["succeeded", "unknown"].includes(this.approvals.get(id)?.state ?? "gone"))
      .map((id) => `I6: ${id} happened and is ${this.approvals.get(id)?.state}`);
    const invented = this.inState("succeeded")
      .filter((id) => !effects.has(id))
      .map((id) => `I6: ${id} is said to have happened`);
    const log = [...this.approvals.values()]
      .filter(({ approvalId, state }) => this.replay.told.get(approvalId)?.state !== state)
      .map(({ approvalId }) => `I7: the log of ${approvalId} does not end in its state`);
    return [...twice, ...unasked, ...running, ...silent, ...invented, ...log, ...this.#lost(told)];
  }

  /** What a child was told by its gate has to be there still (I5). */
  #lost(told: readonly Told[]): string[] {
    return told.flatMap(({ step, approvalId = "", as }) => {
      const found = this.approvals.get(approvalId);
      const kept =
        step === "ready" ||
        (found !== undefined && step === "held") ||
        (step === "decided" && found?.resolution?.type === as) ||
        (step === "ended" && found?.state === as);
      return kept ? [] : [`I5: ${approvalId} was ${step} as ${as} and is ${found?.state ?? "gone"}`];
    });
  }
}
