import { expect, it } from "vitest";
import { memoryBackend } from "./backends.js";
import { COMMANDS, checkModel, RUNS } from "./check.js";

it("agrees with the model at every step on the memory store (I1–I4, I6, I7, I9–I11)", {
  timeout: 3_600_000,
}, async () => {
  expect(await checkModel(memoryBackend)).toBeGreaterThanOrEqual(RUNS * COMMANDS);
});
