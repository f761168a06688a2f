import { setMaxListeners } from "node:events";
import { type Approval, stateAt } from "../../core/approval.js";
import { loadApproval } from "../../core/engine.js";
import type { Gate } from "../../core/gate.js";
import type { Clock, Notice } from "../../core/ports.js";
import type { Principal } from "../identity/index.js";
import { wireTime } from "../views.js";
import { Feed, type Page } from "./feed.js";
import { mayDecide } from "./happening.js";
import type { Presence } from "./presence.js";
import { Reminders } from "./reminders.js";
import { type Listener, type LookUp, Subscription } from "./subscription.js";

/** How often the chain is looked at although nobody said that it grew. Correctness rests on this alone. */
const POLL_EVERY = 1_000;
/** Commits come in bursts; one look serves them all. */
const HINT_DELAY = 5;
/** Sessions and keys also end by time, which no entry tells. */
const RECHECK_EVERY = 10_000;
/** Whoever was away for longer reads the lists anew instead of hearing every step. */
const MAX_REPLAY = 10_000;

interface Room {
  readonly feed: Feed;
  readonly ready: Promise<void>;
  readonly reminders: Reminders;
  readonly subscriptions: Set<Subscription>;
  /** How many are about to listen: a room in which nobody else is left is kept for them. */
  coming: number;
}

/** An open subscription, for whoever holds it. */
export interface Joined {
  readonly subscription: Subscription;
  /** Where the chain stood when it began. */
  readonly cursor: number;
  /** The place was too far back, or is not on this chain: what happened since is not told, the lists have to be read. */
  readonly reset: boolean;
  readonly leave: () => void;
}

interface World {
  readonly gate: Gate;
  /** Who is connected to other processes; absent where this is the only one. */
  readonly presence?: Presence;
  readonly clock: Clock;
  readonly notice: Notice;
}

/** Who listens to which workspace. One reader each; sockets, streams and long polls all hang on it. */
export class Live {
  readonly #world: World;
  readonly #rooms = new Map<string, Room>();
  readonly #stopWatching: () => void;
  readonly #ways: ((approval: Approval) => Promise<boolean>)[] = [];
  #cancelPoll: (() => void) | undefined;
  #cancelHint: (() => void) | undefined;
  #recheckedAt: number;
  #spreadTook = 0;
  readonly #closing = new AbortController();

  constructor(world: World) {
    this.#world = world;
    // One listener for each request that waits: many are no sign of a leak.
    setMaxListeners(0, this.#closing.signal);
    this.#recheckedAt = world.clock.now();
    this.#stopWatching = world.gate.watch(() => this.#hint());
    this.#schedule();
  }

  /** Aborted when this server closes: whatever is held open ends then. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether somebody who may answer this has a live connection here, or is reached in another way. */
  async online(approval: Approval): Promise<boolean> {
    const room = this.#rooms.get(approval.workspaceId);
    if (room !== undefined && [...room.subscriptions].some(({ by }) => mayDecide(by, approval))) return true;
    for (const reaches of this.#ways) if (await reaches(approval)) return true;
    return false;
  }

  /** A way to people besides live connections, such as their chats. */
  reachBy(reaches: (approval: Approval) => Promise<boolean>): void {
    this.#ways.push(reaches);
  }

  /** Listens from a place in the chain, or from now on. */
  async join(by: Principal, lookUp: LookUp, after: number | undefined, listener: Listener): Promise<Joined> {
    const room = this.#room(by.workspaceId);
    room.coming++;
    try {
      await room.ready;
      // A resumed place may be one that this process has not read yet; what it has not read cannot be on its chain otherwise.
      if (after !== undefined && after > room.feed.cursor) await this.#look(room);
      return await this.#enter(room, by, lookUp, after, listener);
    } finally {
      room.coming--;
      this.#empty(room);
    }
  }

  async #enter(
    room: Room,
    by: Principal,
    lookUp: LookUp,
    after: number | undefined,
    listener: Listener,
  ): Promise<Joined> {
    const { cursor } = room.feed;
    const reset = after !== undefined && (after > cursor || cursor - after > MAX_REPLAY);
    const place = after === undefined || reset ? cursor : after;
    const leave = () => {
      subscription.drop();
      if (room.subscriptions.delete(subscription) && by.kind === "person") this.#world.presence?.went(by);
      this.#empty(room);
    };
    const subscription: Subscription = new Subscription(room.feed, by, lookUp, place, {
      told: (happenings, who) => listener.told(happenings, who),
      ended(why) {
        leave();
        listener.ended(why);
      },
    });
    room.subscriptions.add(subscription);
    if (by.kind === "person") await this.#world.presence?.came(by);
    if (this.closing.aborted) subscription.end("closing");
    return { subscription, cursor, reset, leave };
  }

  /** Reminds of an open question that was found by other ways than its entry. */
  follow(approval: Approval): void {
    this.#rooms.get(approval.workspaceId)?.reminders.follow(approval);
  }

  /** Ends every subscription; the readers come back to whoever serves them then. */
  close(): void {
    this.#closing.abort();
    this.#stopWatching();
    this.#cancelPoll?.();
    this.#cancelHint?.();
    for (const { subscriptions, reminders } of this.#rooms.values()) {
      reminders.close();
      for (const subscription of subscriptions) subscription.end("closing");
    }
    this.#rooms.clear();
  }

  #room(workspaceId: string): Room {
    const known = this.#rooms.get(workspaceId);
    if (known !== undefined) return known;
    const { gate, clock } = this.#world;
    const feed = new Feed(gate, workspaceId);
    const room: Room = {
      feed,
      ready: feed.open(),
      subscriptions: new Set(),
      coming: 0,
      reminders: new Reminders(
        clock,
        () => gate.store.time(),
        (approvalId) => void this.#remind(room, approvalId),
      ),
    };
    this.#rooms.set(workspaceId, room);
    return room;
  }

  #empty(room: Room): void {
    if (room.subscriptions.size + room.coming > 0 || this.#rooms.get(room.feed.workspaceId) !== room) return;
    room.reminders.close();
    this.#rooms.delete(room.feed.workspaceId);
  }

  #hint(): void {
    if (this.#rooms.size === 0) return;
    // Under a storm of commits, telling never takes more than a fifth of the time.
    this.#cancelHint ??= this.#world.clock.timer(Math.max(HINT_DELAY, 4 * this.#spreadTook), () => {
      this.#cancelHint = undefined;
      for (const room of this.#rooms.values()) void this.#look(room);
    });
  }

  #schedule(): void {
    if (this.closing.aborted) return;
    this.#cancelPoll = this.#world.clock.timer(POLL_EVERY, () => {
      void this.#poll().finally(() => this.#schedule());
    });
  }

  async #poll(): Promise<void> {
    const now = this.#world.clock.now();
    const recheck = now - this.#recheckedAt >= RECHECK_EVERY;
    if (recheck) this.#recheckedAt = now;
    for (const room of [...this.#rooms.values()]) {
      if (recheck) await recheckAll(room);
      await this.#look(room);
    }
  }

  /** Never throws: a store that does not answer now is asked again within a second. */
  async #look(room: Room): Promise<void> {
    try {
      await room.ready;
      await room.feed.look((page) => this.#spread(room, page));
    } catch (error) {
      this.#world.notice("live.read_failed", { why: (error as Error).message });
    }
  }

  async #spread(room: Room, page: Page): Promise<void> {
    const { happenings } = page;
    const began = performance.now();
    // Who has lost a right hears nothing that happened after the loss was written down.
    if (happenings.some(({ tightens }) => tightens)) await recheckAll(room);
    for (const { approval } of happenings) if (approval !== undefined) room.reminders.follow(approval);
    for (const subscription of room.subscriptions) {
      if (subscription.passBy(page)) continue;
      void subscription.pump().catch((error: Error) => {
        this.#world.notice("live.tell_failed", { why: error.message });
        subscription.end("closing");
      });
    }
    this.#spreadTook = performance.now() - began;
  }

  async #remind(room: Room, approvalId: string): Promise<void> {
    const { gate } = this.#world;
    const approval = await loadApproval({ store: gate.store }, approvalId).catch(() => undefined);
    if (approval === undefined || stateAt(approval, gate.store.time()) !== "pending") return;
    const event = {
      seq: room.feed.cursor,
      type: "approval.expiring",
      time: wireTime(gate.store.time()),
      approvalId,
      tool: approval.tool,
      expiresAt: wireTime(approval.decideBy),
    };
    const happening = { event, approval, concerns: [], tightens: false };
    for (const subscription of room.subscriptions) void subscription.remind(happening).catch(() => undefined);
  }
}

async function recheckAll({ subscriptions }: Room): Promise<void> {
  await Promise.all([...subscriptions].map((subscription) => subscription.recheck()));
}
