import type { Database, Statement } from "./driver.js";

/** How many pages the log has, about, when it is emptied into the file; as many as SQLite itself would let it have. */
const FULL = 1_000;
/** What SQLite lets it grow to before a commit has to empty it after all. */
const OVERFULL = 4 * FULL;
/** Pages that a commit writes, as measured: some for itself, and some for each change of its group. */
const PAGES_OF_A_COMMIT = 5;
const PAGES_OF_A_CHANGE = 0.35;

/**
 * When the log of a connection is to be emptied. SQLite would do it within a commit, and whoever waits for that one would wait ten
 * times as long; here it is done when they have been told. A log that is not emptied loses nothing, it only grows.
 */
export class Log {
  readonly #empty: Statement;
  #pages = 0;

  constructor(database: Database) {
    database.exec(`PRAGMA wal_autocheckpoint = ${OVERFULL}`);
    this.#empty = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  }

  wrote(changes: number): void {
    this.#pages += PAGES_OF_A_COMMIT + PAGES_OF_A_CHANGE * changes;
  }

  /** Whether it is to be emptied now. It counts as emptied from here on: whoever asks does it, or has it done elsewhere. */
  takeFull(): boolean {
    if (this.#pages < FULL) return false;
    this.#pages = 0;
    return true;
  }

  /** Waits for nobody: what others still read, or write meanwhile, stays in the log until the next time. */
  empty(): void {
    try {
      this.#empty.get();
    } catch {
      // A full disk, or a file that is busy: the log holds everything.
    }
  }
}
