import type { Person } from "../core/approval.js";
import type { Card } from "../core/card/card.js";
import { systemClock } from "../core/clock.js";
import type { Decision } from "../core/decide.js";
import { type CountersignError, toCountersignError } from "../core/errors.js";
import type { Gate } from "../core/gate.js";
import type { Json, JsonObject } from "../core/json.js";
import { everyWaiting } from "../core/views.js";

/** Hints make the approver look at once; this is for the ones that were lost. */
const LOOK_EVERY = 100;

/** A card as it was shown, and what was answered to it. */
export interface Seen {
  readonly card: Card;
  readonly answer: "approve" | "deny" | "edit" | "none";
  /** Why the answer did not count. */
  readonly error?: CountersignError;
}

/** A person for tests, with an answer ready for each tool that was scripted. Everything else stays pending. */
export interface ScriptedApprover {
  approves(tool: string): this;
  denies(tool: string, reason?: string): this;
  /** Approves with other arguments than the proposed ones. */
  edits(tool: string, edit: (args: JsonObject) => Json): this;
  /** Every card that was shown to this person, in order; an edited call is shown once per revision. */
  readonly seen: readonly Seen[];
  /** Answers what waits now. Runs by itself whenever something changes, so that only exact tests need it. */
  look(): Promise<void>;
  /** Looks no more, and waits for the answer being given. Call it before the gate is closed. */
  stop(): Promise<void>;
}

/** Answers as this person, through the gate, what is shown to this person: the audience is checked as for anybody. */
export function scriptedApprover(gate: Gate, person: Person): ScriptedApprover {
  return new Approver(gate, person);
}

type Script = (card: Card) => { readonly answer: Seen["answer"]; readonly decision: Decision };

class Approver implements ScriptedApprover {
  readonly seen: Seen[] = [];
  readonly #gate: Gate;
  readonly #person: Person;
  readonly #scripts = new Map<string, Script>();
  readonly #stopWatching: () => void;
  #shown = new Set<string>();
  #looking: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;
  #stopped = false;

  constructor(gate: Gate, person: Person) {
    this.#gate = gate;
    this.#person = person;
    this.#stopWatching = gate.store.watch(() => this.#lookSoon(0));
    this.#lookSoon(0);
  }

  approves(tool: string): this {
    return this.#on(tool, (card) => ({ answer: "approve", decision: answerTo(card, "approve") }));
  }

  denies(tool: string, reason?: string): this {
    const more = reason === undefined ? {} : { reason };
    return this.#on(tool, (card) => ({ answer: "deny", decision: { ...answerTo(card, "deny"), ...more } }));
  }

  edits(tool: string, edit: (args: JsonObject) => Json): this {
    return this.#on(tool, (card) => {
      const { args } = JSON.parse(card.toolCallCanonical) as { args: JsonObject };
      return { answer: "edit", decision: { ...answerTo(card, "approve"), args: edit(args) } };
    });
  }

  look(): Promise<void> {
    // One look at a time: two would show and answer the same card twice.
    const looked = this.#looking.then(() => this.#lookNow());
    this.#looking = looked.catch(() => {});
    return looked;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopWatching();
    this.#cancelTimer?.();
    await this.#looking;
  }

  /** Scripts may come after the call: whatever waits is then looked at again. */
  #on(tool: string, script: Script): this {
    this.#scripts.set(tool, script);
    this.#shown = new Set();
    this.#lookSoon(0);
    return this;
  }

  #lookSoon(delay: number): void {
    if (this.#stopped) return;
    this.#cancelTimer?.();
    this.#cancelTimer = systemClock.timer(delay, () => {
      const again = () => this.#lookSoon(LOOK_EVERY);
      // A store that does not answer now is asked again.
      this.look().then(again, again);
    });
  }

  async #lookNow(): Promise<void> {
    for await (const { card: toDraw } of everyWaiting(this.#gate, this.#person)) {
      if (this.#stopped) return;
      const card = toDraw?.draw();
      if (card !== undefined && this.#isNew(card)) this.seen.push(await this.#answer(card));
    }
  }

  #isNew(card: Card): boolean {
    const key = `${card.approvalId}/${card.revision}`;
    if (this.#shown.has(key)) return false;
    this.#shown.add(key);
    return true;
  }

  async #answer(card: Card): Promise<Seen> {
    const script = this.#scripts.get(card.tool)?.(card);
    if (script === undefined) return { card, answer: "none" };
    try {
      await this.#gate.decide(script.decision, this.#person);
      return { card, answer: script.answer };
    } catch (error) {
      return { card, answer: script.answer, error: toCountersignError(error) };
    }
  }
}

/** Names what was shown, as a person's screen does. */
function answerTo({ approvalId, toolCallHash }: Card, decision: Decision["decision"]): Decision {
  return { approvalId, toolCallHash, decision };
}
