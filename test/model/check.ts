import fc from "fast-check";
import type { Store } from "../../src/core/ports.js";
import { commands } from "./commands.js";
import { Model } from "./model.js";
import { type Backend, Real } from "./real.js";

const LONG = process.env["COUNTERSIGN_LONG"] === "1";
/** Runs per store, and commands per run on average at least. */
export const RUNS = LONG ? 10_000 : 1_000;
export const COMMANDS = 40;
/** Lengths are spread evenly up to this, and some commands have nothing to act on. */
const MAX_COMMANDS = 98;

/** Printed with every failure; the same seed gives the same commands again. */
export const SEED = Number(process.env["COUNTERSIGN_SEED"] ?? Date.now() & 0x7fffffff);

/** Runs the model against the store and tells how many commands were done. Throws with seed and shortest run when they differ. */
export async function checkModel(
  open: () => Promise<Backend>,
  { runs = RUNS, seed = SEED, plant }: { runs?: number; seed?: number; plant?: (store: Store) => Store } = {},
): Promise<number> {
  const steps = { count: 0 };
  const property = fc.asyncProperty(fc.commands(commands, { maxCommands: MAX_COMMANDS, size: "max" }), async (cmds) => {
    const real = new Real(await open(), plant);
    try {
      const model = new Model(real, steps);
      await fc.asyncModelRun(() => ({ model, real }), cmds);
      await model.ends();
    } finally {
      await real.dispose();
    }
  });
  try {
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: plant !== undefined });
  } catch (error) {
    throw new Error(`COUNTERSIGN_SEED=${seed} finds it again. ${(error as Error).message}`, { cause: error });
  }
  return steps.count;
}
