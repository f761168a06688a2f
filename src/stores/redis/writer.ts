import { systemClock } from "../../core/clock.js";
import { CountersignError } from "../../core/errors.js";
import { newId } from "../../core/ids.js";
import type { Applied, Clock } from "../../core/ports.js";
import { COMMIT_SCRIPT } from "./commit-script.js";
import { type Connection, isForgotten, script } from "./connection.js";
import { Draft, type Step } from "./draft.js";
import { FencedError, fencedError, isForked, type Mark, raise } from "./fence.js";
import type { Keys } from "./keys.js";
import type { Beginning, Known } from "./known.js";
import { planOf, type Terms } from "./plan.js";
import { toRecord } from "./rows.js";
import type { Wanted } from "./texts.js";

const COMMIT = script(COMMIT_SCRIPT);
/** Each round means that another instance was faster, or that the clock passed a limit: each of them made progress. */
const MAX_ROUNDS = 200;
/** Smaller corrections of the clock are noise of the network. */
const CLOCK_NOISE = 5;

/** What the script answers; see there for the words. One that the server has forgotten answers nothing. */
type Reply =
  | readonly ["forgotten"]
  | readonly ["fenced", string]
  | readonly ["lost"]
  | readonly ["late"]
  | readonly ["time", clock: number]
  | readonly ["stale", clock: number, placesAndLines: readonly (number | string)[]]
  | readonly ["done", clock: number, writes: number, wanted: readonly string[]];

/** What is kept of a group while the server has it. What was written into it is not: much of that would grow old meanwhile. */
interface Sent {
  readonly applied: Applied[];
  readonly isWriting: boolean;
  readonly wanted: readonly Wanted[];
  /** How the texts were believed to begin, in the order in which the script names them by their place. */
  readonly believed: readonly Beginning[];
  /** Its number, by which what was expected of it is corrected. */
  readonly group: number;
  readonly at: number;
  readonly reply: Promise<unknown>;
}

export interface WriterParts {
  readonly connection: Connection;
  readonly keys: Keys;
  readonly known: Known;
  readonly mark: Mark & { readonly fence?: string };
  readonly clock: Clock | undefined;
  readonly mirror: boolean;
  /** Looks at the server when the connection has come back. */
  readonly inspect: () => Promise<void>;
}

/** Writes group after group, each judged behind the one before: instances race each other, but no instance races itself. */
export class Writer {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #known: Known;
  readonly #clock: Clock | undefined;
  readonly #mirror: boolean;
  readonly #by = newId();
  readonly #running = new Set<Promise<unknown>>();
  #mark: Mark & { readonly fence?: string };
  /** The last write of this process's own, which has to be there whenever the connection comes back. */
  #mine = 0;
  #offset = 0;
  #seenConnected: number;
  #checking: Promise<void> | undefined;
  /** Which of this process's connections it is. What was sent over an earlier one is refused, see the script. */
  #connectionNumber = 0;
  readonly #inspect: () => Promise<void>;
  /** Once fenced, a process stays so: it remembers what is not there any more. */
  #fenced: CountersignError | undefined;

  constructor({ connection, keys, known, mark, clock, mirror, inspect }: WriterParts) {
    this.#connection = connection;
    this.#keys = keys;
    this.#known = known;
    this.#mark = mark;
    this.#clock = clock;
    this.#mirror = mirror;
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
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const check = this.trusted();
      if (check !== undefined) await check;
      const applied = await this.#fencing(() => this.#try(steps));
      if (applied !== undefined) return applied;
    }
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
    if (isSame) return undefined;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
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
    await this.#giveUpEarlier();
    this.#seenConnected = connected;
  }

  /**
   * A commit whose reply was lost may still be on its way, on the line that broke. From here on it leaves no trace, so that
   * what is not in its chain now never will be by that attempt, and may be written again.
   */
  async #giveUpEarlier(): Promise<void> {
    const number = ++this.#connectionNumber;
    await this.#connection.send("HSET", this.#keys.store, `connection:${this.#by}`, String(number));
  }

  /** The same without an occasion: a store that was emptied, or a clock that was set, is noticed also when nobody writes. */
  async look(): Promise<void> {
    if (this.#fenced !== undefined) return;
    await this.#fencing(() => raise(this.#connection, this.#keys, this.#mark, "behind")).catch(() => {});
    await this.synchronise().catch(() => {});
  }

  /** One run of the script. Undefined when something was not as it was known here; it is known better then. */
  async #try(steps: readonly Step[]): Promise<Applied[] | undefined> {
    const sent = this.#send(steps);
    if (!("reply" in sent)) return sent.applied;
    const { applied, isWriting, wanted, believed, group, at } = sent;
    const reply = await this.#replyTo(sent);
    switch (reply[0]) {
      case "forgotten":
        this.#known.correct(group, believed);
        await this.#connection.send("SCRIPT", "LOAD", COMMIT.text);
        return undefined;
      case "fenced":
        throw fencedError(reply[1]);
      case "lost":
        await raise(this.#connection, this.#keys, this.#mark, "behind");
        return undefined;
      case "late":
        // Sent before this connection was looked at, or its number is not there any more: that is seen to first.
        this.#seenConnected = Number.NaN;
        this.#known.correct(group, believed);
        return undefined;
      case "time":
        this.#setTime(reply[1]);
        this.#known.correct(group, believed);
        return undefined;
      case "stale":
        this.#heardTime(reply[1], at);
        this.#known.correct(group, corrected(believed, reply[2]));
        return undefined;
      case "done":
        this.#heardTime(reply[1], at);
        this.#heardWrites(reply[2], isWriting);
        wanted.forEach(({ record }, i) => {
          Object.assign(record, toRecord(record.kind, record.id, reply[3][i] as string));
        });
        return applied;
      default:
        return reply satisfies never;
    }
  }

  /** Judges a group and sends it. There is nothing to send where every change is broken. */
  #send(steps: readonly Step[]): Sent | Pick<Sent, "applied"> {
    const now = this.time();
    const draft = new Draft(this.#known, now, this.#mirror);
    const applied = steps.map((step) => draft.apply(step));
    if (draft.workspaces.size === 0) return { applied };
    const { keys, args, texts } = planOf(draft, this.#keys, this.#terms(now));
    const { isWriting, wanted } = draft;
    const believed = texts.map(({ space, id, was }) => ({ space, id, line: was }));
    const group = this.#known.expect(texts);
    const at = systemClock.now();
    return { applied, isWriting, wanted, believed, group, at, reply: this.#connection.call(COMMIT, keys, args) };
  }

  async #replyTo({ reply }: Sent): Promise<Reply> {
    try {
      return (await reply) as Reply;
    } catch (error) {
      if (isForgotten(error)) return ["forgotten"];
      throw error;
    }
  }

  #terms(now: number): Terms & { readonly connection: number } {
    const { generation, writes, fence } = this.#mark;
    return {
      generation,
      known: writes,
      by: this.#by,
      connection: this.#connectionNumber,
      now,
      server: this.#clock === undefined,
      ...(fence === undefined ? {} : { fence }),
    };
  }

  #heardWrites(writes: number, isMine: boolean): void {
    this.#mark = { ...this.#mark, writes: Math.max(writes, this.#mark.writes) };
    if (isMine) this.#mine = Math.max(writes, this.#mine);
  }

  #heardTime(server: number, sent: number): void {
    const offset = server - Math.round((sent + systemClock.now()) / 2);
    if (Math.abs(offset - this.#offset) > CLOCK_NOISE) this.#offset = offset;
  }

  /** To be judged again by what the server said, for a limit lies between that and what was thought here. */
  #setTime(server: number): void {
    this.#offset = server - systemClock.now();
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

/** How the texts began: as believed, but for those that the script names. */
function corrected(believed: readonly Beginning[], placesAndLines: readonly (number | string)[]): Beginning[] {
  const beginnings = [...believed];
  for (let i = 0; i < placesAndLines.length; i += 2) {
    const place = Number(placesAndLines[i]) - 1;
    const beginning = beginnings[place];
    if (beginning !== undefined) beginnings[place] = { ...beginning, line: String(placesAndLines[i + 1]) };
  }
  return beginnings;
}
