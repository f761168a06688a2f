import { isCi } from "../../scripts/setup/system-packages.mjs";
import { hasRedis } from "./redis-server.mjs";

export { RedisServer } from "./redis-server.mjs";

/** Why tests that need a Redis cannot run here. In CI that is a failure, never a skip. */
export const redisMissing: string | undefined = hasRedis ? undefined : "redis-server is not installed";
if (redisMissing !== undefined && isCi(process.env["CI"])) throw new Error(`${redisMissing}; in CI no test may skip`);

/** What a title says after the name of a suite that is skipped. */
export const skipped = redisMissing === undefined ? "" : ` (skipped: ${redisMissing})`;
