import * as vitest from "vitest";
import { RedisServer, redisMissing, skipped } from "../../test/support/redis.js";
import { describeStore } from "../testing/index.js";
import { redisStore } from "./redis.js";

let server: RedisServer;
let stores = 0;

vitest.describe.skipIf(redisMissing)(`on a real server${skipped}`, () => {
  vitest.beforeAll(async () => {
    server = await RedisServer.start();
  });
  vitest.afterAll(() => server.stop());

  const open = (clock: Parameters<Parameters<typeof describeStore>[2]>[0]) =>
    redisStore({ url: server.url, prefix: `store-${stores}`, clock });
  describeStore(
    vitest,
    "Redis",
    (clock) => {
      stores++;
      return open(clock);
    },
    { reopen: open },
  );
});
