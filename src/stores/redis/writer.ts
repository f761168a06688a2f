import { systemClock } from "../../core/clock.js";
import { CountersignError } from "../../core/errors.js";
import { newId } from "../../core/ids.js";
import type { Applied, Clock, Put } from "../../core/ports.js";
import { emptyHead } from "../apply.js";
import { COMMIT_SCRIPT } from "./commit-script.js";
import { type Connection, script } from "./connection.js";
import { FencedError, fencedError, isForked, type Mark, raise } from "./fence.js";
import type { Keys } from "./keys.js";
import { type Plan, planOf, type Step, type Terms, type Tip } from "./plan.js";
import { toHead, toRecord } from "./rows.js";

const COMMIT = script(COMMIT_SCRIPT);
/** Each round means that another instance was faster, or that the clock passed a limit: each of them made progress. */
const MAX_ROUNDS = 200;
/** Heads known here, so that a commit needs no question first. The script compares them; a wrong one costs a second try. */
const MAX_TIPS = 10_000;
/** Smaller corrections of the clock are noise of the network. */
const CLOCK_NOISE = 5;

/** What the script answers; see there for the words. */
type Reply =
  | readonly ["fenced", string]
  | readonly ["lost"]
  | readonly ["time", number]
  | readonly ["head", number, readonly string[][]]
  | readonly ["done", number, number, readonly Answer[]];

type Answer =
  | readonly [1, time: number, epoch: number, seq: number]
  | readonly [
      0,
      time: number,
      epoch: number,
      refused: Refused["refused"],
      detail: string | number,
      more: string | null,
    ];

type Refused = Extract<Applied, { ok: false }>;

/** Writes group after group, one at a time: instances race each other, but no instance races itself. */
export class Writer {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #clock: Clock | undefined;
  readonly #by = newId();
  readonly #tips = new Map<string, Tip>();
  #mark: Mark & { readonly fence?: string };
  /** The last write of this process's own, which has to be there whenever the connection comes back. */
  #mine = 0;
  #offset = 0;
  #seenConnected: number;
  readonly #inspect: () => Promise<void>;
  /** Once fenced, a process stays so: it remembers what is not there any more. */
  #fenced: CountersignError | undefined;
  #last: Promise<unknown> | undefined;

  constructor(
    connection: Connection,
    keys: Keys,
    mark: Mark & { readonly fence?: string },
    clock: Clock | undefined,
    inspect: () => Promise<void>,
  ) {
    this.#connection = connection;
    this.#keys = keys;
    this.#mark = mark;
    this.#clock = clock;
    this.#inspect = inspect;
    this.#seenConnected = connection.connected;
  }

  get known(): number {
    return this.#mark.writes;
  }

  time(): number {
    return this.#clock === undefined ? systemClock.now() + this.#offset : this.#clock.now();
  }

  write(steps: readonly Step[]): Promise<Applied[]> {
    // Where nobody is before it, it is sent before this returns: whoever calls may be busy for a while afterwards.
    const written = this.#last === undefined ? this.#write(steps) : this.#last.then(() => this.#write(steps));
    const last = written
      .catch(() => {})
      .then(() => {
        if (this.#last === last) this.#last = undefined;
      });
    this.#last = last;
    return written;
  }

  async idle(): Promise<void> {
    await this.#last;
  }

  async synchronise(): Promise<void> {
    const sent = systemClock.now();
    const [seconds, micros] = (await this.#connection.send("TIME")) as [string, string];
    this.#heardTime(Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000), sent);
  }

  /**
   * Makes sure, whenever the connection has come back, that the server is still fit and what this process wrote still there.
   * Throws for good once fenced.
   */
  trusted(): Promise<void> | undefined {
    if (this.#fenced !== undefined) throw this.#fenced;
    const isSame = this.#connection.connected === this.#seenConnected && this.#connection.client.isReady;
    return isSame ? undefined : this.#check();
  }

  async #check(): Promise<void> {
    const { connected } = this.#connection;
    await this.#inspect();
    await this.#fencing(async () => {
      await raise(this.#connection, this.#keys, this.#mark, "behind");
      if (await isForked(this.#connection, this.#keys, this.#mine, this.#by)) {
        await raise(this.#connection, this.#keys, this.#mark, "forked");
      }
    });
    this.#seenConnected = connected;
  }

  /** The same without an occasion: a store that was emptied is noticed also when nobody writes. */
  async look(): Promise<void> {
    if (this.#fenced === undefined) {
      await this.#fencing(() => raise(this.#connection, this.#keys, this.#mark, "behind")).catch(() => {});
    }
  }

  async #write(steps: readonly Step[]): Promise<Applied[]> {
    const applied: Applied[] = [];
    for (let round = 0; round < MAX_ROUNDS && applied.length < steps.length; round++) {
      const check = this.trusted();
      if (check !== undefined) await check;
      await this.#fencing(() => this.#try(steps.slice(applied.length), applied));
    }
    if (applied.length === steps.length) return applied;
    throw new CountersignError("store_failed", "Redis could not be written to: others were always faster. Try again.");
  }

  /** One run of the script; adds the answers it gave. */
  async #try(steps: readonly Step[], applied: Applied[]): Promise<void> {
    for (const { change } of steps) this.#remember(change.workspaceId);
    const plan = planOf(steps, this.#tips, this.#keys, this.#terms());
    const sent = systemClock.now();
    const reply = (await this.#connection.run(COMMIT, plan.keys, plan.args)) as Reply;
    switch (reply[0]) {
      case "fenced":
        throw fencedError(reply[1]);
      case "lost":
        return raise(this.#connection, this.#keys, this.#mark, "behind");
      case "time":
        return this.#heardTime(reply[1], sent);
      case "head":
        this.#heardTime(reply[1], sent);
        plan.workspaces.forEach((id, i) => this.#tips.set(id, toHead(id, reply[2][i]?.map((f) => f || null) ?? [])));
        return;
      case "done":
        this.#heardTime(reply[1], sent);
        this.#heardAnswers(steps, plan, reply[2], reply[3], applied);
        return;
      default:
        return reply satisfies never;
    }
  }

  #terms(): Terms {
    const { generation, writes, fence } = this.#mark;
    return {
      generation,
      known: writes,
      by: this.#by,
      now: this.time(),
      server: this.#clock === undefined,
      ...(fence === undefined ? {} : { fence }),
    };
  }

  #heardAnswers(
    steps: readonly Step[],
    plan: Plan,
    writes: number,
    answers: readonly Answer[],
    applied: Applied[],
  ): void {
    answers.forEach((answer, i) => {
      const { change } = steps[i] as Step;
      const tip = plan.tips[i];
      if (answer[0] === 1 && tip !== undefined) this.#tips.set(change.workspaceId, tip);
      applied.push(answer[0] === 1 ? accepted(answer) : refused(answer, change.puts));
    });
    this.#mark = { ...this.#mark, writes: Math.max(writes, this.#mark.writes) };
    if (answers.some(([ok]) => ok === 1)) this.#mine = writes;
  }

  /** A head nobody asked for yet is taken for an empty one: where that is wrong the script tells. */
  #remember(workspaceId: string): void {
    const known = this.#tips.get(workspaceId) ?? emptyHead(workspaceId);
    // The one used last goes last, so that the first is the one to forget.
    this.#tips.delete(workspaceId);
    this.#tips.set(workspaceId, known);
    const [oldest] = this.#tips.keys();
    if (this.#tips.size > MAX_TIPS && oldest !== undefined && oldest !== workspaceId) this.#tips.delete(oldest);
  }

  #heardTime(server: number, sent: number): void {
    if (this.#clock !== undefined) return;
    const offset = server - Math.round((sent + systemClock.now()) / 2);
    if (Math.abs(offset - this.#offset) > CLOCK_NOISE) this.#offset = offset;
  }

  async #fencing<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof FencedError) this.#fenced = error;
      throw error;
    }
  }
}

function accepted([, time, epoch, seq]: Extract<Answer, readonly [1, ...unknown[]]>): Applied {
  return { ok: true, time, seq, epoch };
}

function refused(answer: Extract<Answer, readonly [0, ...unknown[]]>, puts: readonly Put[]): Applied {
  const [, time, epoch, word, detail, more] = answer;
  const told = { ok: false as const, refused: word, time, epoch };
  if (word === "taken") return { ...told, key: String(detail), holder: more ?? "" };
  if (word === "limit") return { ...told, key: String(detail) };
  if (word !== "version" || more === null) return told;
  const { kind, id } = puts[Number(detail) - 1] as Put;
  return { ...told, current: toRecord(kind, id, more) };
}
