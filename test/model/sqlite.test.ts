import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { sqliteBackend } from "./backends.js";
import { COMMANDS, checkModel, RUNS } from "./check.js";

const HOUR = 3_600_000;
const WORKER = new URL("../../dist/stores/sqlite-worker.js", import.meta.url);

it("agrees with the model at every step on an SQLite file, also after every restart (I1–I7, I9–I11)", {
  timeout: HOUR,
}, async () => {
  expect(await checkModel(() => sqliteBackend())).toBeGreaterThanOrEqual(RUNS * COMMANDS);
});

it("agrees with the model when a thread of its own does the writing", { timeout: HOUR }, async () => {
  expect(existsSync(WORKER), "the package is built before its tests").toBe(true);
  expect(await checkModel(() => sqliteBackend(WORKER), { runs: RUNS / 100 })).toBeGreaterThan(RUNS / 100);
});
