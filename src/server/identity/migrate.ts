import { CountersignError } from "../../core/errors.js";
import { sha256Hex } from "../../core/ids.js";
import type { IdentityDatabase } from "./database.js";
import { MIGRATIONS } from "./schema.js";

/**
 * Brings the tables up to date, once, whoever is first. A database whose history is not the beginning of ours, because it is
 * newer or because a released migration was edited, is left as it is and refused.
 */
export async function migrate(
  database: IdentityDatabase,
  now: number,
  migrations: readonly (readonly string[])[] = MIGRATIONS,
): Promise<void> {
  await database.transaction(async (queries) => {
    await queries.run(
      "CREATE TABLE IF NOT EXISTS identity_migration (version BIGINT PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)",
    );
    const applied = await queries.all<{ checksum: string }>("SELECT checksum FROM identity_migration ORDER BY version");
    if (applied.length > migrations.length) {
      throw new CountersignError(
        "store_failed",
        `The identity tables were written by a newer Countersign (format ${applied.length}, this one knows ${migrations.length}). Update the package.`,
      );
    }
    for (const [index, statements] of migrations.entries()) {
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
    }
  });
}
