import { type Approval, historyIndex, type Person } from "./approval.js";
import { newEntry } from "./audit.js";
import { decodeApproval } from "./codec.js";
import { type Engine, noteEpoch } from "./engine.js";
import { CountersignError } from "./errors.js";
import type { Json } from "./json.js";
import type { Entry, Head } from "./ports.js";
import { memberOf } from "./vouch.js";

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
  /** It takes a right away, so that what was judged before is judged again. */
  readonly tightens: boolean;
}

/** How far back to start, newest first. */
export interface Past {
  /** Only what is older than this approval. */
  readonly before?: string;
  readonly limit?: number;
  /** Whose calls: one's own unless said. Another person's are for roles that may read the audit log. */
  readonly userId?: string;
}

const OVERSEERS: readonly string[] = ["owner", "auditor"];

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
  async note({ eventId, workspaceId, type, content, tightens }: OutsideEvent): Promise<void> {
    const { store, grouper } = this.#engine;
    if ((await store.changed([{ changeId: eventId, workspaceId }])).has(eventId)) return;
    const applied = await grouper.commit({
      changeId: eventId,
      workspaceId,
      puts: [],
      entries: [newEntry(type, "", content)],
      ...(tightens ? { tighten: true } : {}),
    });
    noteEpoch(this.#engine, workspaceId, applied.epoch);
  }

  /** What became of a person's calls, newest first. */
  async history(person: Person, { before = "", limit = 50, userId = person.userId }: Past = {}): Promise<Approval[]> {
    const who = await memberOf(this.#engine, person);
    if (userId !== who.userId && !(who.roles ?? []).some((role) => OVERSEERS.includes(role))) {
      throw new CountersignError("not_permitted", "Other people's history is for owners and auditors.");
    }
    const records = await this.#engine.store.latest(historyIndex(who.workspaceId, userId), before, limit);
    return records.map(decodeApproval);
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
