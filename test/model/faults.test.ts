import { expect, it } from "vitest";
import { memoryBackend } from "./backends.js";
import { checkModel, SEED } from "./check.js";
import { FAULTS } from "./faults.js";

// A check that cannot fail proves nothing: each of these stores is wrong in one way, and the model has to say so.
it.each(Object.entries(FAULTS))("finds out a store that %s", async (_, plant) => {
  await expect(checkModel(memoryBackend, { plant, runs: 2_000, seed: SEED })).rejects.toThrow(/finds it again/);
});
