import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RedisServer, redisMissing, skipped } from "../support/redis.js";
import { redisBackends } from "./backends.js";
import { COMMANDS, checkModel, RUNS } from "./check.js";

/** Every step is a few round trips to another process: fewer runs take as long as all do elsewhere. */
const REDIS_RUNS = Math.round(RUNS * 0.15);
/** Fewer runs spread wider around the average length. */
const AT_LEAST = REDIS_RUNS * COMMANDS * 0.9;

let server: RedisServer;
let backends: Awaited<ReturnType<typeof redisBackends>>;

describe.skipIf(redisMissing)(`the gate on Redis${skipped}`, () => {
  beforeAll(async () => {
    server = await RedisServer.start({}, { inMemory: true });
    backends = await redisBackends(server.url);
  });
  afterAll(async () => {
    backends.close();
    await server.stop();
  });

  it("agrees with the model at every step, also after every restart (I1–I7, I9–I11)", {
    timeout: 3_600_000,
  }, async () => {
    expect(await checkModel(backends.open, { runs: REDIS_RUNS })).toBeGreaterThanOrEqual(AT_LEAST);
  });
});
