import { join } from "node:path";
import type { Config } from "../config/schema.js";
import { CountersignError } from "../core/errors.js";
import type { Store } from "../core/ports.js";
import { postgresStore } from "../stores/postgres.js";
import { redisStore } from "../stores/redis.js";
import { sqliteStore } from "../stores/sqlite.js";

/** The store that a setting names: `sqlite`, `sqlite:FILE`, `postgres://…` or `redis://…`. */
export async function openStore({
  store: named,
  data,
  renew,
}: Pick<Config, "store" | "data" | "renew">): Promise<Store> {
  if (named === "sqlite") return sqliteStore(join(data, "countersign.db"));
  if (named.startsWith("sqlite:")) return sqliteStore(named.slice("sqlite:".length));
  if (/^postgres(ql)?:/.test(named)) return postgresStore({ url: named });
  if (/^rediss?:/.test(named)) return redisStore({ url: named, ...(renew === undefined ? {} : { renew }) });
  throw new CountersignError("not_supported", `There is no store for "${named.split(":")[0]}:".`);
}

/** Whether instances on other machines may use it too. */
export function isOnNetwork(named: string): boolean {
  return !named.startsWith("sqlite");
}
