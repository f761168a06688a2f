import { expect, it } from "vitest";
import { memoryBackend, sqliteBackend } from "./backends.js";
import { COMMANDS, checkModel, RUNS } from "./check.js";

const HOUR = 3_600_000;

it("agrees with the memory store, step by step (I1–I4, I6, I7, I9–I11)", { timeout: HOUR }, async () => {
  expect(await checkModel(memoryBackend)).toBeGreaterThanOrEqual(RUNS * COMMANDS);
});

it("agrees with the SQLite store, also after every restart (I5)", { timeout: HOUR }, async () => {
  expect(await checkModel(() => sqliteBackend())).toBeGreaterThanOrEqual(RUNS * COMMANDS);
});
