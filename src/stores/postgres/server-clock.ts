import type { PostgresPool } from "./driver.js";

/** The server's clock in milliseconds. */
export const SERVER_NOW = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Milliseconds by which two clocks may differ before somebody is told. */
const MAX_DIFFERENCE = 2_000;

/**
 * The server's clock as well as it is known here. What is proposed by it, such as the time to decide, is told to people: a machine
 * whose own clock is wrong must not propose anything by that, so that the server is asked before anything else.
 */
export class ServerClock {
  /** How far it is ahead of this machine's. */
  #ahead: number | undefined;
  #warned = false;

  static async of(pool: PostgresPool): Promise<ServerClock> {
    const clock = new ServerClock();
    const sent = Date.now();
    const { rows } = await pool.query({ text: `SELECT ${SERVER_NOW} AS clock` });
    clock.heard(Number((rows[0] as { readonly clock: string }).clock), sent);
    return clock;
  }

  now(): number {
    return Date.now() + (this.#ahead ?? 0);
  }

  /**
   * The server read its clock at some moment between sending and now. What was known stays if it can be true: a reply that took
   * seconds, behind a lock say, tells less than an earlier one that took none.
   */
  heard(server: number, sent: number): void {
    const answered = Date.now();
    // This machine's own clock was set back meanwhile.
    if (answered < sent) return;
    const [least, most] = [server - answered, server - sent];
    this.#ahead = Math.min(Math.max(this.#ahead ?? Math.round((least + most) / 2), least), most);
    if (Math.max(least, -most) >= MAX_DIFFERENCE) this.#warn(this.#ahead);
  }

  #warn(ahead: number): void {
    if (this.#warned) return;
    this.#warned = true;
    process.emitWarning(
      `The clock of this machine differs from the database server's by ${(ahead / 1_000).toFixed(1)} s. The server's counts; set both by the same time service.`,
      { code: "COUNTERSIGN_CLOCK" },
    );
  }
}
