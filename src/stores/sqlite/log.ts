import type { Database, Statement } from "./driver.js";

/** How many pages the log has, about, when it is emptied into the file; as many as SQLite itself would let it have. */
const FULL = 1_000;
/** What SQLite lets it grow to before a commit has to empty it after all. */
const OVERFULL = 4 * FULL;
/** Bounds of the guess how many changes fill it. */
const FEWEST = 32;
const MOST = 4_096;

/**
 * When the log of a connection is to be emptied. SQLite would do it within a commit, and whoever waits for that one would wait ten
 * times as long; here it is done when they have been told. A log that is not emptied loses nothing, it only grows.
 */
export class Log {
  readonly #empty: Statement;
  #changes = 0;
  /** After how many changes it is full, as far as was seen. */
  #usual = FEWEST;

  constructor(database: Database) {
    database.exec(`PRAGMA wal_autocheckpoint = ${OVERFULL}`);
    this.#empty = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  }

  wrote(changes: number): void {
    this.#changes += changes;
  }

  get isFull(): boolean {
    return this.#changes >= this.#usual;
  }

  /** Waits for nobody: what others still read stays in the log until the next time. */
  empty(): void {
    const changes = this.#changes;
    this.#changes = 0;
    try {
      const { log } = this.#empty.get() as { log: number };
      this.#usual = Math.min(Math.max(Math.round((changes * FULL) / Math.max(log, 1)), FEWEST), MOST);
    } catch {
      // A full disk, or a file that is busy: the log holds everything.
    }
  }
}
