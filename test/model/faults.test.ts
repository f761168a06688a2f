import { expect, it } from "vitest";
import { memoryBackend } from "./backends.js";
import { checkModel } from "./check.js";
import { FAULTS } from "./faults.js";

const SEED = 1;

// A check that cannot fail proves nothing: each of these stores is wrong in one way, and the model has to say so. The seed is
// fixed, because how soon a fault is met is a matter of luck; that it is met is not.
it.each(Object.entries(FAULTS))("finds out a store that %s", async (_, plant) => {
  await expect(checkModel(memoryBackend, { plant, runs: 1_000, seed: SEED })).rejects.toThrow(/finds it again/);
});

it("finds nothing in a store that keeps its promises, under the same seed", async () => {
  expect(await checkModel(memoryBackend, { runs: 200, seed: SEED })).toBeGreaterThan(200);
});
