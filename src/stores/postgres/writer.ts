import { CountersignError } from "../../core/errors.js";
import { newId } from "../../core/ids.js";
import type { Applied, Change, ChangeRef, Clock, Erasure, NewEntry } from "../../core/ports.js";
import { isStorable } from "../../core/storable.js";
import { problemOf } from "../broken.js";
import { KIND_CODES } from "../kind-codes.js";
import { partsOf } from "../parts.js";
import { isAppliedBefore, isConflict, isOfTheChange, storeFailure } from "./driver.js";
import { Group, type Reply } from "./group.js";
import { packId } from "./ids.js";
import type { ServerClock } from "./server-clock.js";
import type { Statements } from "./statements.js";
import { Whole, type WholeReply } from "./whole.js";

/** Conflicts of workspaces over one key end after one of them has won; more in a row than this is no conflict. */
const ATTEMPTS = 20;

type Accepted = Extract<Applied, { ok: true }>;

/** Sends groups to the server. Its clock judges them, unless the store has one of its own, as tests have. */
export class Writer {
  readonly #statements: Statements;
  readonly #clock: Clock | undefined;
  readonly #serverClock: ServerClock;
  readonly #strict: boolean;

  constructor(statements: Statements, clock: Clock | undefined, serverClock: ServerClock, strict: boolean) {
    this.#statements = statements;
    this.#clock = clock;
    this.#serverClock = serverClock;
    this.#strict = strict;
  }

  time(): number {
    return (this.#clock ?? this.#serverClock).now();
  }

  async commit(group: readonly Change[]): Promise<readonly Applied[]> {
    const problems = group.map(problemOf);
    const sound = group.filter((_, index) => problems[index] === undefined);
    const applied: Applied[] = [];
    for (const part of partsOf(sound, (change) => change)) applied.push(...(await this.#write(part)));
    const answers = applied.values();
    return problems.map((problem) =>
      problem === undefined ? (answers.next().value as Applied) : this.#broken(problem),
    );
  }

  async erase({ workspaceId, seqs, records = [] }: Erasure, entry: NewEntry): Promise<void> {
    const change = { changeId: newId(), workspaceId, puts: [], entries: [entry] };
    if (problemOf(change) !== undefined)
      throw new CountersignError("invalid_change", "The erasure was not well formed; nothing was erased.");
    const group = new Group([change]);
    const storable = records.filter(({ id }) => isStorable(id));
    const known = seqs.filter((seq) => Number.isSafeInteger(seq));
    const what = [known, storable.map(({ id }) => packId(id)), storable.map(({ kind }) => KIND_CODES[kind])];
    try {
      await this.#untilNoConflict(() => this.#statements.run("erase", [...this.#parameters(group), ...what]));
    } catch (error) {
      throw storeFailure(error);
    }
  }

  async changed(changes: readonly ChangeRef[]): Promise<Map<string, Accepted>> {
    const asked = changes.filter(({ changeId, workspaceId }) => isStorable(changeId) && isStorable(workspaceId));
    if (asked.length === 0) return new Map();
    const rows = await this.#statements.read<{ i: string; seq: string; time: string; epoch: string }>("changed", [
      asked.map(({ workspaceId }) => workspaceId),
      asked.map(({ changeId }) => packId(changeId)),
    ]);
    return new Map(
      rows.map(({ i, seq, time, epoch }) => [
        (asked[Number(i) - 1] as ChangeRef).changeId,
        { ok: true, seq: Number(seq), time: Number(time), epoch: Number(epoch) },
      ]),
    );
  }

  /** One transaction, one flush, for the whole group, unless something in it cannot be written at all. */
  async #write(group: readonly Change[]): Promise<readonly Applied[]> {
    try {
      return (await this.#sendWhole(group)) ?? (await this.#untilNoConflict(() => this.#send(group)));
    } catch (error) {
      if (isAppliedBefore(error)) return this.#writeRest(group);
      if (!isOfTheChange(error)) throw storeFailure(error);
      if (group.length === 1) return [this.#broken((error as Error).message)];
    }
    const applied: Applied[] = [];
    // Each gets its own transaction, and only the one that cannot be written fails.
    for (const change of group) applied.push(...(await this.#write([change])));
    return applied;
  }

  /** All at once. Undefined if something stands in the way of one of them, or may: then nothing was written. */
  async #sendWhole(group: readonly Change[]): Promise<readonly Applied[] | undefined> {
    const whole = Whole.of(group);
    if (whole === undefined) return undefined;
    try {
      const values = whole.parameters(this.#now(), this.#strict);
      const reply = await this.#ask<WholeReply>("commitWhole", values);
      return reply && whole.applied(reply);
    } catch (error) {
      if (!isConflict(error) || isAppliedBefore(error)) throw error;
      return undefined;
    }
  }

  /** One by one. */
  async #send(group: readonly Change[]): Promise<readonly Applied[]> {
    const encoded = new Group(group);
    const reply = (await this.#ask<Reply>("commit", this.#parameters(encoded))) as Reply;
    return group.map((_, index) => encoded.appliedAt(reply, index));
  }

  async #ask<T extends { readonly clock: number }>(
    name: "commit" | "commitWhole",
    values: unknown[],
  ): Promise<T | undefined> {
    const sent = Date.now();
    const [row] = await this.#statements.run<{ reply: T | null }>(name, values);
    const reply = row?.reply ?? undefined;
    if (reply !== undefined && this.#clock === undefined) this.#serverClock.heard(reply.clock, sent);
    return reply;
  }

  /** An earlier attempt of some of these has arrived after all: those are done, and only the rest is left. */
  async #writeRest(group: readonly Change[]): Promise<readonly Applied[]> {
    const known = await this.changed(group);
    const rest = group.filter(({ changeId }) => !known.has(changeId));
    if (rest.length === group.length)
      throw new CountersignError("store_failed", "A change is named twice, or its chain was altered from outside.");
    const applied = (await this.#write(rest)).values();
    return group.map(({ changeId }) => known.get(changeId) ?? (applied.next().value as Applied));
  }

  async #untilNoConflict<T>(write: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        if (!isConflict(error) || isAppliedBefore(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  #parameters(group: Group): unknown[] {
    return [this.#now(), group.toString(), group.salts, this.#strict];
  }

  /** Null where the server's clock counts. */
  #now(): number | null {
    return this.#clock?.now() ?? null;
  }

  #broken(problem: string): Applied {
    return { ok: false, refused: "broken", problem, time: this.time(), epoch: 0 };
  }
}
