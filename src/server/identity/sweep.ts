import type { IdentityDatabase } from "./database.js";

const DAY = 24 * 3_600_000;

/** Deletes what is worthless once its time is over. Nothing here was ever a right: those are revoked and kept. */
export async function sweep(database: IdentityDatabase, now: number): Promise<void> {
  await database.transaction(async (queries) => {
    await queries.run("DELETE FROM identity_ceremony WHERE expires_at < ?", now);
    await queries.run("DELETE FROM identity_seen_proof WHERE expires_at < ?", now);
    await queries.run("DELETE FROM identity_bound_token WHERE expires_at < ?", now);
    await queries.run("DELETE FROM identity_repeat WHERE expires_at < ?", now);
    await queries.run("DELETE FROM identity_counter WHERE ends_at < ?", now);
    await queries.run("DELETE FROM identity_account_code WHERE expires_at < ?", now);
    await queries.run("DELETE FROM identity_presence WHERE seen_until < ?", now);
    await queries.run("DELETE FROM identity_cli_sign_in WHERE expires_at < ?", now - DAY);
  });
}
