import { CountersignError } from "../../core/errors.js";
import { sha256Hex } from "../../core/ids.js";
import type { IdentityDatabase } from "./database.js";
import { MIGRATIONS, type Migration } from "./schema.js";

/**
 * Brings the tables up to date, once, whoever is first. A database whose history is not the beginning of ours, because
 * it went on to where this release cannot follow or because a released migration was edited, is left as it is and refused.
 */
export async function migrate(
  database: IdentityDatabase,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await database.transaction(async (queries) => {
    await queries.run(
      "CREATE TABLE IF NOT EXISTS identity_migration (version BIGINT PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)",
    );
    await queries.run(
      "CREATE TABLE IF NOT EXISTS identity_compatible (version BIGINT PRIMARY KEY, oldest BIGINT NOT NULL)",
    );
    const applied = await queries.all<{ checksum: string; oldest: number | null }>(
      "SELECT m.checksum, c.oldest FROM identity_migration m LEFT JOIN identity_compatible c USING (version) ORDER BY version",
    );
    // One that does not say for whom it still works is for those who know it.
    if (applied.some(({ oldest }, index) => (oldest ?? index + 1) > migrations.length)) {
      throw new CountersignError(
        "store_failed",
        `The identity tables were changed by a newer Countersign (format ${applied.length}, this one knows ${migrations.length} and may no longer use them). Update the package.`,
      );
    }
    for (const [index, { statements, oldest }] of migrations.entries()) {
      const checksum = sha256Hex(statements.join(";\n"));
      const known = applied[index]?.checksum;
      if (known === checksum) continue;
      if (known !== undefined) {
        throw new CountersignError(
          "store_failed",
          `Migration ${index + 1} of the identity tables differs from the one this database was made with. Use the package version that made it, or a newer release.`,
        );
      }
      for (const statement of statements) await queries.run(statement);
      await queries.run("INSERT INTO identity_migration VALUES (?, ?, ?)", index + 1, checksum, now);
      await queries.run("INSERT INTO identity_compatible VALUES (?, ?)", index + 1, oldest);
    }
  }, "patient");
}
