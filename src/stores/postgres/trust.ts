import { CountersignError } from "../../core/errors.js";
import type { Promises } from "../../core/ports.js";
import type { PostgresPool } from "./driver.js";

const OLDEST_SERVER = 140_000;

interface Settings {
  readonly version: number;
  readonly standby: boolean;
  readonly encoding: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly standbys: string;
}

/** Asks the server what it does with a commit. What cannot be trusted is refused, unless the host has accepted to lose it. */
export async function promisesOf(pool: PostgresPool, acceptLoss: boolean): Promise<Promises> {
  const { rows } = await pool.query({
    text: `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby,
      current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS full_page_writes, current_setting('synchronous_commit') AS synchronous_commit,
      current_setting('synchronous_standby_names') AS standbys`,
  });
  const settings = rows[0] as Settings;
  refuseUnfit(settings);
  const weak = (["fsync", "full_page_writes", "synchronous_commit"] as const).filter(
    (name) => settings[name] === "off",
  );
  if (weak.length === 0) return { engine: "postgres", durable: true, shared: true, text: strongText(settings) };
  const said = weak.map((name) => `${name} = off`).join(", ");
  if (!acceptLoss) {
    throw new CountersignError(
      "store_failed",
      `This Postgres server may lose what it has acknowledged: ${said}. Turn it on, or pass acceptLoss: true to run without the promise that a decision survives a power cut.`,
    );
  }
  const text = `Kept in Postgres with ${said}: what was acknowledged may be lost in a crash of the server or a power cut.`;
  process.emitWarning(text, { code: "COUNTERSIGN_WEAK_STORE" });
  return { engine: "postgres", durable: false, shared: true, text };
}

function refuseUnfit({ version, standby, encoding }: Settings): void {
  if (version < OLDEST_SERVER)
    throw new CountersignError("not_supported", "The Postgres store needs Postgres 14 or newer.");
  if (standby)
    throw new CountersignError(
      "store_failed",
      "This Postgres server is a standby and takes no writes. Name the primary.",
    );
  if (encoding !== "UTF8")
    throw new CountersignError(
      "not_supported",
      `The Postgres store needs a database in UTF8; this one is in ${encoding}.`,
    );
}

function strongText({ standbys, synchronous_commit }: Settings): string {
  const kept = "Kept in Postgres: what was acknowledged survives a crash and a power cut, for every instance";
  if (standbys !== "" && synchronous_commit !== "local") return `${kept}, and is on a synchronous standby.`;
  return `${kept}; a standby that takes over may lack the last moments, for none is synchronous.`;
}
