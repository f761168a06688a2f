import { systemClock } from "../../core/clock.js";
import { CountersignError } from "../../core/errors.js";
import { newId } from "../../core/ids.js";
import type { Applied, Clock, Head, Put } from "../../core/ports.js";
import { COMMIT_SCRIPT } from "./commit-script.js";
import { type Connection, script } from "./connection.js";
import { FencedError, fencedError, isForked, type Mark, raise } from "./fence.js";
import type { Keys } from "./keys.js";
import { type Plan, planOf, type Step, type Terms } from "./plan.js";
import { toHead, toRecord } from "./rows.js";
import { Tips } from "./tips.js";

const COMMIT = script(COMMIT_SCRIPT);
/** Each round means that another instance was faster, or that the clock passed a limit: each of them made progress. */
const MAX_ROUNDS = 200;
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

/** Writes group after group, each linked behind the one before: instances race each other, but no instance races itself. */
export class Writer {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #clock: Clock | undefined;
  readonly #by = newId();
  readonly #tips = new Tips();
  readonly #running = new Set<Promise<unknown>>();
  #mark: Mark & { readonly fence?: string };
  /** The last write of this process's own, which has to be there whenever the connection comes back. */
  #mine = 0;
  #offset = 0;
  #seenConnected: number;
  readonly #inspect: () => Promise<void>;
  /** Once fenced, a process stays so: it remembers what is not there any more. */
  #fenced: CountersignError | undefined;

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

  /** Sent before this returns, where the connection stands: whoever calls may be busy for a while afterwards. */
  write(steps: readonly Step[]): Promise<Applied[]> {
    const written = this.#write(steps);
    const running = written.catch(() => {}).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return written;
  }

  async idle(): Promise<void> {
    await Promise.all(this.#running);
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

  /** One run of the script; adds the answers it gave. */
  async #try(steps: readonly Step[], applied: Applied[]): Promise<void> {
    const plan = planOf(steps, this.#tips, this.#keys, this.#terms());
    const expected = this.#tips.expect(plan.after);
    const sent = systemClock.now();
    const reply = (await this.#connection.run(COMMIT, plan.keys, plan.args)) as Reply;
    switch (reply[0]) {
      case "fenced":
        throw fencedError(reply[1]);
      case "lost":
        return raise(this.#connection, this.#keys, this.#mark, "behind");
      case "time":
        this.#heardTime(reply[1], sent);
        return this.#tips.correct(expected, plan.before);
      case "head":
        this.#heardTime(reply[1], sent);
        return this.#tips.correct(expected, headsOf(plan, reply[2]));
      case "done":
        this.#heardTime(reply[1], sent);
        this.#heardWrites(reply[2], reply[3]);
        this.#heardTips(steps, plan, expected, reply[3]);
        applied.push(...reply[3].map((answer, i) => appliedOf(answer, (steps[i] as Step).change.puts)));
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

  #heardWrites(writes: number, answers: readonly Answer[]): void {
    this.#mark = { ...this.#mark, writes: Math.max(writes, this.#mark.writes) };
    if (answers.some(([ok]) => ok === 1)) this.#mine = Math.max(writes, this.#mine);
  }

  /** Behind a change that was not applied nothing is where it was expected. */
  #heardTips(steps: readonly Step[], plan: Plan, expected: number, answers: readonly Answer[]): void {
    const isAsPlanned = plan.tips.every((tip, i) => tip === undefined || answers[i]?.[0] === 1);
    if (isAsPlanned) return;
    const reached = new Map(plan.before);
    steps.forEach(({ change }, i) => {
      const tip = plan.tips[i];
      if (tip !== undefined && answers[i]?.[0] === 1) reached.set(change.workspaceId, tip);
    });
    this.#tips.correct(expected, reached);
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

function headsOf({ before }: Plan, rows: readonly string[][]): Map<string, Head> {
  const fields = (row: readonly string[] = []) => row.map((field) => field || null);
  return new Map([...before.keys()].map((id, i) => [id, toHead(id, fields(rows[i]))]));
}

function appliedOf(answer: Answer, puts: readonly Put[]): Applied {
  if (answer[0] === 1) {
    const [, time, epoch, seq] = answer;
    return { ok: true, time, seq, epoch };
  }
  const [, time, epoch, word, detail, more] = answer;
  const told = { ok: false as const, refused: word, time, epoch };
  if (word === "taken") return { ...told, key: String(detail), holder: more ?? "" };
  if (word === "limit") return { ...told, key: String(detail) };
  if (word !== "version" || more === null) return told;
  const { kind, id } = puts[Number(detail) - 1] as Put;
  return { ...told, current: toRecord(kind, id, more) };
}
