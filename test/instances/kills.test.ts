import { describe, expect, it, onTestFinished } from "vitest";
import type { Store } from "../../src/core/ports.js";
import { postgresStore } from "../../src/stores/postgres.js";
import { redisStore } from "../../src/stores/redis.js";
import { Evidence } from "../crash/evidence.js";
import { SEED } from "../model/check.js";
import { FaultProxy } from "../support/fault-proxy.js";
import { postgresMissing, startPostgres } from "../support/postgres.mjs";
import { RedisServer, redisMissing } from "../support/redis.js";
import { type Blows, blowsFor, type Databases, strike } from "./blows.js";
import { Cluster } from "./cluster.js";
import { Load } from "./load.js";

const LONG = process.env["COUNTERSIGN_LONG"] === "1";
const CLIENTS = 64;
const INSTANCES = 4;
const WORKSPACE = "local";
const AGAIN = `COUNTERSIGN_SEED=${SEED} strikes in the same order again`;

interface Trial {
  readonly cluster: Cluster;
  readonly databases: Databases;
  readonly open: () => Promise<Store>;
  readonly calls: number;
  readonly blows: Blows;
}

/** Load and blows together, to the end of every call; then everything that was promised is looked for. */
async function survives({ cluster, databases, open, calls, blows }: Trial): Promise<void> {
  const began = performance.now();
  const load = await Load.on(cluster, calls);
  const away: number[] = [];
  const striking = (async () => {
    for (const blow of blowsFor(SEED, cluster.size, calls, blows)) {
      await load.reaches(blow.at);
      away.push(await strike(cluster, databases, blow));
    }
  })();
  await Promise.all([load.run(CLIENTS), striking]);
  const store = await open();
  onTestFinished(() => store.close());
  const evidence = new Evidence(store, cluster.sink, [WORKSPACE]);
  const running = async () => {
    await evidence.look();
    return evidence.inState("executing");
  };
  // What died while it ran is found by whoever is left.
  await expect.poll(running, { timeout: 60_000, interval: 200 }).toEqual([]);
  const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);
  console.info(
    `${AGAIN}: ${calls} calls in ${seconds(performance.now() - began)} s, ${evidence.inState("unknown").length} unknown, ${away.length} blows, all served again after at most ${seconds(Math.max(0, ...away))} s`,
  );
  expect(evidence.broken(load.told), AGAIN).toEqual([]);
  // Each key was asked for once, however often it was sent.
  expect(evidence.approvals.size, AGAIN).toBe(calls);
  expect(load.odd, AGAIN).toEqual([]);
  expect(cluster.died, `${AGAIN}. The last that was said: ${cluster.said.slice(-5).join("\n")}`).toBe(0);
}

async function newPostgres() {
  const database = await startPostgres();
  onTestFinished(() => database.stop());
  return database;
}

const noPostgres = postgresMissing();
const noEngine = noPostgres ?? redisMissing;

describe.skipIf(noPostgres !== undefined)(`four processes on one Postgres ${noPostgres ?? ""}`, () => {
  it(`serve ${CLIENTS} clients through kills of processes and database (faults R3, R5, R6, R17, I1, I2, I4–I7)`, {
    timeout: 3_600_000,
  }, async () => {
    const database = await newPostgres();
    const url = database.url();
    await survives({
      cluster: await Cluster.start({ store: url, size: INSTANCES }),
      databases: { crash: () => database.crash(), start: () => database.start() },
      open: () => postgresStore({ url }),
      calls: LONG ? 20_000 : 2_000,
      blows: LONG
        ? { instance: 60, "two instances": 10, database: 20, everything: 5 }
        : { instance: 7, "two instances": 1, database: 3, everything: 1 },
    });
  });

  it("do the same when every wake-up is lost on its way (fault R12)", { timeout: 3_600_000 }, async () => {
    const database = await newPostgres();
    const line = await FaultProxy.before(database.port);
    onTestFinished(() => line.close());
    line.losesNotifications = true;
    await survives({
      cluster: await Cluster.start({ store: line.through(database.url()), size: INSTANCES }),
      databases: { crash: () => database.crash(), start: () => database.start() },
      open: () => postgresStore({ url: database.url() }),
      calls: LONG ? 2_000 : 200,
      blows: { instance: 2, "two instances": 0, database: 2, everything: 0 },
    });
    expect(line.lostNotifications).toBeGreaterThan(0);
  });
});

describe.skipIf(noEngine !== undefined)(
  `four processes on Redis, with their people in Postgres ${noEngine ?? ""}`,
  () => {
    it("do the same (faults R3, R5, R6, I1, I2, I4–I7)", { timeout: 3_600_000 }, async () => {
      const people = await newPostgres();
      const redis = await RedisServer.start({}, { inMemory: true });
      onTestFinished(() => redis.stop());
      await survives({
        cluster: await Cluster.start({ store: redis.url, identity: people.url(), size: INSTANCES }),
        databases: {
          crash: async () => void (await Promise.all([redis.kill(), people.crash()])),
          start: async () => void (await Promise.all([redis.start(), people.start()])),
        },
        open: () => redisStore({ url: redis.url }),
        calls: LONG ? 5_000 : 300,
        blows: LONG
          ? { instance: 10, "two instances": 3, database: 5, everything: 2 }
          : { instance: 2, "two instances": 0, database: 1, everything: 1 },
      });
    });
  },
);
