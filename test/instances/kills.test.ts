import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Store } from "../../src/core/ports.js";
import { postgresStore } from "../../src/stores/postgres.js";
import { Evidence } from "../crash/evidence.js";
import { SEED } from "../model/check.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../support/postgres.mjs";
import { Cluster } from "./cluster.js";
import { Load } from "./load.js";

const LONG = process.env["COUNTERSIGN_LONG"] === "1";
const CLIENTS = 64;
const INSTANCES = 4;
const WORKSPACE = "local";
/** How long the service may be away after what it stands on is back. */
const BACK_WITHIN = 10_000;

const missing = postgresMissing();

type Blow = "instance" | "two instances" | "database" | "everything";

/** What is killed, and when: at random, but the same for the same seed. */
function blows(
  calls: number,
  kinds: Readonly<Record<Blow, number>>,
): readonly { at: number; what: Blow; who: number }[] {
  const all = Object.entries(kinds).flatMap(([what, times]) => Array.from({ length: times }, () => what as Blow));
  const order = fc.shuffledSubarray(all, { minLength: all.length });
  const moments = fc.array(fc.double({ min: 0, max: 0.9, noNaN: true }), {
    minLength: all.length,
    maxLength: all.length,
  });
  const whos = fc.array(fc.nat(INSTANCES - 1), { minLength: all.length, maxLength: all.length });
  const [drawn] = fc.sample(fc.tuple(order, moments, whos), { seed: SEED, numRuns: 1 });
  const [whats = [], jitters = [], victims = []] = drawn ?? [];
  return whats.map((what, i) => ({
    what,
    at: Math.floor(((i + (jitters[i] ?? 0)) * calls) / all.length),
    who: victims[i] ?? 0,
  }));
}

/** Strikes, starts again what was struck, and says how long it took until every instance served again. */
async function strike(cluster: Cluster, database: PostgresServer, { what, who }: { what: Blow; who: number }) {
  const others = what === "two instances" ? [(who + 1) % cluster.size] : [];
  const victims = what === "everything" ? Array.from({ length: cluster.size }, (_, i) => i) : [who, ...others];
  const killed = what === "database" ? [] : victims;
  const hitsDatabase = what === "database" || what === "everything";
  await Promise.all([...killed.map((index) => cluster.kill(index)), ...(hitsDatabase ? [database.crash()] : [])]);
  if (hitsDatabase) await database.start();
  const from = performance.now();
  await Promise.all(killed.map((index) => cluster.restart(index)));
  await expect.poll(() => cluster.isReady(), { timeout: BACK_WITHIN, interval: 50 }).toBe(true);
  return performance.now() - from;
}

interface Trial {
  readonly calls: number;
  readonly kinds: Readonly<Record<Blow, number>>;
}

async function survives(
  cluster: Cluster,
  database: PostgresServer,
  open: () => Promise<Store>,
  { calls, kinds }: Trial,
) {
  const load = await Load.on(cluster, calls);
  const away: number[] = [];
  const striking = (async () => {
    for (const blow of blows(calls, kinds)) {
      await load.reaches(blow.at);
      away.push(await strike(cluster, database, blow));
    }
  })();
  await Promise.all([load.run(CLIENTS), striking]);
  const store = await open();
  onTestFinished(() => store.close());
  const evidence = new Evidence(store, cluster.sink, [WORKSPACE]);
  // What died while it ran is found by whoever is left.
  await expect
    .poll(async () => (await evidence.look(), evidence.inState("executing")), { timeout: 60_000, interval: 200 })
    .toEqual([]);
  return { load, evidence, away: Math.max(0, ...away) };
}

describe.skipIf(missing !== undefined)(`four processes on one Postgres ${missing ?? ""}`, () => {
  const calls = LONG ? 20_000 : 2_000;
  const kinds = { instance: 8, "two instances": 1, database: 3, everything: 1 };
  it(`serve ${CLIENTS} clients through kills of processes and database (faults R3, R5, R6, R17, I1, I2, I4–I7)`, {
    timeout: 3_600_000,
  }, async () => {
    const database = await startPostgres();
    onTestFinished(() => database.stop());
    const cluster = await Cluster.start({ store: database.url(), size: INSTANCES });
    const began = performance.now();
    const { load, evidence, away } = await survives(cluster, database, () => postgresStore({ url: database.url() }), {
      calls,
      kinds,
    });
    const took = performance.now() - began;
    console.info(
      `COUNTERSIGN_SEED=${SEED}: ${calls} calls in ${(took / 1_000).toFixed(1)} s, ${evidence.inState("unknown").length} unknown, away at most ${(away / 1_000).toFixed(1)} s`,
    );
    expect(evidence.broken(load.told), `COUNTERSIGN_SEED=${SEED}`).toEqual([]);
    // Each key was asked for once, however often it was sent.
    expect(evidence.approvals.size).toBe(calls);
    expect(load.odd).toEqual([]);
    expect(cluster.died).toBe(0);
  });
});
