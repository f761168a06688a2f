import type { Approval, Person } from "./approval.js";
import { newEntry } from "./audit.js";
import type { Card } from "./card/card.js";
import { type Engine, loadApproval, noteEpoch } from "./engine.js";
import { CountersignError } from "./errors.js";
import { newId } from "./ids.js";
import type { Json } from "./json.js";
import type { Entry, Head } from "./ports.js";
import { type PrivacyLevel, privacyOf, setPrivacy } from "./privacy.js";
import { type Past, pastOf, readable } from "./reading.js";
import {
  changeReplyRules,
  mergedReplyRules,
  NO_REPLY_RULES,
  type OwnReplyRules,
  ownReplyRulesOf,
  type ReplyRules,
  type ReplyRulesPatch,
} from "./reply-rules.js";
import type { Locale } from "./tool.js";
import { type CardToDraw, cardOf, cardToDraw, type Page, pendingFor, type Waiting, waitingFor } from "./views.js";
import { memberOf, vouched } from "./vouch.js";

/** What a server adds to a gate that stands already. */
export interface Hosting {
  /** From here on people are looked up: what a request says of its person does not count. */
  readonly people: Engine["people"];
  readonly online: Engine["online"];
  readonly weaken: Engine["weaken"];
  readonly sources: Engine["sources"];
}

/** Something that changed around the gate, for the workspace's chain. */
export interface OutsideEvent {
  /** Unique for ever: the same event told twice is written once. */
  readonly eventId: string;
  readonly workspaceId: string;
  readonly type: string;
  readonly content: { readonly [key: string]: Json | undefined };
  /** The approval it speaks of, if it speaks of one. */
  readonly ref?: string;
  /** It takes a right away, so that what was judged before is judged again. */
  readonly tightens: boolean;
}

/** The side of a gate on which a server stands. No call passes here. */
export class HostedGate {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Puts this gate behind a server. Its rules stay; the server says who people are. */
  attach(hosting: Hosting): void {
    const { people, online, weaken, sources } = hosting;
    const engine = this.#engine as { -readonly [Part in keyof Engine]: Engine[Part] };
    Object.assign(engine, { people, online, weaken, sources: [...engine.sources, ...sources] });
  }

  /** Writes an event of the outside into the chain, once. */
  async note({ eventId, workspaceId, type, content, tightens, ref = "" }: OutsideEvent): Promise<void> {
    const changeId = newId();
    const applied = await this.#engine.grouper.commit({
      changeId,
      workspaceId,
      puts: [],
      entries: [newEntry(type, ref, content)],
      tighten: tightens,
      // Held for ever by whoever wrote it first: told again, by this instance or another, it is refused, and that is all.
      unique: [{ key: `e/${eventId}`, id: changeId, until: Number.MAX_SAFE_INTEGER }],
    });
    noteEpoch(this.#engine, workspaceId, applied.epoch);
    if (!applied.ok && applied.refused !== "taken") {
      throw new CountersignError("store_failed", `An event was not written: ${applied.problem ?? applied.refused}.`);
    }
  }

  /** What became of a person's calls, newest first. */
  history(person: Person, past: Past = {}): Promise<Approval[]> {
    return pastOf(this.#engine, person, past);
  }

  /** One record, also after its end: for its audience, for the person it was made for, and for owners and auditors. */
  record(approvalId: string, person: Person): Promise<Approval> {
    return readable(this.#engine, approvalId, person);
  }

  /** The card of a record that this person may read. */
  async pastCard(approvalId: string, person: Person, locale?: Locale): Promise<Card | undefined> {
    return cardOf(this.#engine, await readable(this.#engine, approvalId, person), locale);
  }

  /** The card for a surface of the host's own, such as a chat, which answers itself for who sees it. */
  async hostCard(
    approvalId: string,
    locale?: Locale,
  ): Promise<{ readonly approval: Approval; readonly card: Card } | undefined> {
    const approval = await loadApproval(this.#engine, approvalId);
    const card = approval && (await cardOf(this.#engine, approval, locale));
    return approval && card && { approval, card };
  }

  /** How long a workspace keeps what was said in calls; `usual` where its owner has said nothing. */
  privacy(workspaceId: string, usual: PrivacyLevel): Promise<PrivacyLevel> {
    return privacyOf(this.#engine, workspaceId, usual);
  }

  /** For owners alone. */
  setPrivacy(level: PrivacyLevel, person: Person): Promise<void> {
    return setPrivacy(this.#engine, level, person);
  }

  /** How a workspace wants answers in words to be read: what its owner has said, on top of what holds on the whole server. */
  async replyRules(workspaceId: string, usual: ReplyRules = NO_REPLY_RULES): Promise<ReplyRules> {
    return mergedReplyRules(usual, await this.ownReplyRules(workspaceId));
  }

  /** What its owner alone has said about it. */
  async ownReplyRules(workspaceId: string): Promise<OwnReplyRules> {
    return (await ownReplyRulesOf(this.#engine, workspaceId)).own;
  }

  /** For owners alone; what makes a yes easier to say is a weakening. Holds from the next message on. */
  changeReplyRules(patch: ReplyRulesPatch, person: Person, usual: ReplyRules = NO_REPLY_RULES): Promise<OwnReplyRules> {
    return changeReplyRules(this.#engine, patch, person, usual);
  }

  /** What waits for this person, oldest first, and nothing drawn: a list of many, or of long ones, need not draw all of them. */
  async waiting(person: Person, page?: Page): Promise<Waiting[]> {
    return waitingFor(this.#engine, await vouched(this.#engine, person, person.workspaceId), page);
  }

  /** The card of a record that the host has found this reader may see. */
  async cardToDraw(approval: Approval): Promise<CardToDraw | undefined> {
    return cardToDraw(this.#engine, approval);
  }

  /** How many questions wait for this person, up to the given number; draws no card. */
  async countPending(person: Person, most: number): Promise<number> {
    return (await pendingFor(this.#engine, await memberOf(this.#engine, person), { limit: most })).length;
  }

  /** The workspace's chain after a sequence number: the feed that every surface follows. */
  entries(workspaceId: string, after: number, limit: number): Promise<readonly Entry[]> {
    return this.#engine.store.entries(workspaceId, after, limit);
  }

  /** Where the workspace's chain stands. */
  head(workspaceId: string): Promise<Head> {
    return this.#engine.store.checkpoint(workspaceId);
  }

  /** Calls back when something may have happened. Hints may be lost or come twice: look at the chain. */
  watch(listener: () => void): () => void {
    return this.#engine.store.watch(listener);
  }
}
