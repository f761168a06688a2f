import { join } from "node:path";
import type { Config } from "../config/schema.js";
import { type IdentityDatabase, postgresIdentityDatabase, sqliteIdentityDatabase } from "./identity/index.js";

/**
 * Where people, keys and settings are kept: where the setting says, else in the same Postgres as approvals, else in a file of
 * the data folder. Redis never carries them.
 */
export function identityAt(config: Config): string {
  const named = config.identity ?? config.store;
  if (isPostgres(named)) return named;
  const file = config.identity?.startsWith("sqlite:") ? config.identity.slice("sqlite:".length) : undefined;
  return file ?? join(config.data, "identity.db");
}

export function openIdentityDatabase(config: Config): IdentityDatabase {
  const place = identityAt(config);
  return isPostgres(place) ? postgresIdentityDatabase({ url: place }) : sqliteIdentityDatabase(place);
}

export function isPostgres(place: string): boolean {
  return /^postgres(ql)?:/.test(place);
}
