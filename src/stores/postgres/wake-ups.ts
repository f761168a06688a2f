import { systemClock } from "../../core/clock.js";
import { newId } from "../../core/ids.js";
import type { PostgresClient, PostgresPool } from "./driver.js";
import { SERVER_NOW, type ServerClock } from "./server-clock.js";

export interface WakeUpOptions {
  readonly pool: PostgresPool;
  readonly channel: string;
  /** False where a connection pooler stands in between that gives every transaction another session. */
  readonly listen: boolean;
  readonly pollEvery: number;
  readonly hint: () => void;
  /** Told the time with every look: this machine's own clock may be set while nobody commits. */
  readonly clock: ServerClock;
}

/** Notifications cost every committer a lock that the whole server shares, so at most one is sent in this time. */
const ANNOUNCE_EVERY = 20;
const LOOK = `SELECT pg_current_snapshot()::text AS seen, ${SERVER_NOW} AS now`;
const RECONNECT_MIN = 100;
const RECONNECT_MAX = 5_000;

/**
 * Learns that another instance has committed something. Polling is what is relied on: it asks for the set of transactions that
 * are visible, which differs whenever anything was committed, and costs no scan. Notifications only make it sooner; they carry
 * nothing, may all be lost, and are sent after the commit, never in it.
 */
export class WakeUps {
  readonly #options: WakeUpOptions;
  readonly #instance = newId();
  #running = false;
  #seen: string | undefined;
  #cancelPoll: (() => void) | undefined;
  #listener: PostgresClient | undefined;
  #connecting: Promise<void> | undefined;
  #cancelReconnect: (() => void) | undefined;
  #reconnectDelay = RECONNECT_MIN;
  #announcing = false;
  #announceAgain = false;

  constructor(options: WakeUpOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#schedulePoll();
    this.#listen();
  }

  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#cancelPoll?.();
    this.#cancelReconnect?.();
    await this.#connecting;
    this.#listener?.release(true);
    this.#listener = undefined;
  }

  /** Tells the other instances to look. */
  announce(): void {
    if (!this.#options.listen) return;
    if (this.#announcing) {
      this.#announceAgain = true;
      return;
    }
    void this.#notify();
  }

  async #notify(): Promise<void> {
    this.#announcing = true;
    this.#announceAgain = false;
    const { pool, channel } = this.#options;
    try {
      await pool.query({ text: "SELECT pg_notify($1, $2)", values: [channel, this.#instance] });
    } catch {
      // One that is not sent is a hint lost.
    }
    systemClock.timer(ANNOUNCE_EVERY, () => {
      this.#announcing = false;
      if (this.#announceAgain) this.announce();
    });
  }

  #schedulePoll(): void {
    this.#cancelPoll = systemClock.timer(this.#options.pollEvery, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    const { pool, clock } = this.#options;
    try {
      const sent = Date.now();
      const { rows } = await pool.query({ text: LOOK });
      const { seen, now } = rows[0] as { readonly seen: string; readonly now: string };
      clock.heard(Number(now), sent);
      if (this.#running && seen !== this.#seen) this.#options.hint();
      this.#seen = seen;
    } catch {
      // A server that does not answer is asked again.
      this.#seen = undefined;
    }
    if (this.#running) this.#schedulePoll();
  }

  #listen(): void {
    if (!this.#options.listen || !this.#running) return;
    this.#connecting = this.#connect().catch(() => this.#listenLater());
  }

  async #connect(): Promise<void> {
    const { pool, channel, hint } = this.#options;
    const client = await pool.connect();
    let lost = false;
    const onLost = () => {
      if (lost) return;
      lost = true;
      if (this.#listener !== client) return;
      this.#listener = undefined;
      client.release(true);
      this.#listenLater();
    };
    client.on("error", onLost);
    client.on("end", onLost);
    client.on("notification", ({ payload }: { payload?: string }) => {
      if (payload !== this.#instance) hint();
    });
    try {
      await client.query({ text: `LISTEN "${channel}"` });
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (lost || !this.#running) {
      client.release(true);
      return lost ? this.#listenLater() : undefined;
    }
    this.#listener = client;
    this.#reconnectDelay = RECONNECT_MIN;
    // Waiting for hints keeps no process alive.
    (client as { unref?: () => void }).unref?.();
    // Whatever was announced while nobody listened is looked for now.
    hint();
  }

  #listenLater(): void {
    if (!this.#running) return;
    this.#cancelReconnect = systemClock.timer(this.#reconnectDelay, () => this.#listen());
    this.#reconnectDelay = Math.min(this.#reconnectDelay * 2, RECONNECT_MAX);
  }
}
