import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "countersign/stores/sqlite";
import { onTestFinished } from "vitest";
import { type Assistant, assistantMounts, createAssistant } from "../../assistant/src/index.js";
import type { GateOptions } from "../../src/index.js";
import { startWebWorld } from "./world.js";

interface HouseholdOptions {
  readonly gate?: Partial<GateOptions>;
  /** Everything is kept in files, as `npm start` does. */
  readonly onDisk?: boolean;
  /** Its demo agent waits on three calls, as in the first minute. */
  readonly demo?: boolean;
}

type AssistantGate = Parameters<typeof createAssistant>[0]["gate"];

/** A household with its assistant mounted beside the pages, in a folder of its own; until the test is over. */
export async function openHousehold(options: HouseholdOptions = {}) {
  const household = await startHousehold(options);
  onTestFinished(household.close);
  return household;
}

/** The same for several tests: whoever starts it closes it. */
export async function startHousehold({ gate, onDisk = false, demo = false }: HouseholdOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), "countersign-household-"));
  let assistant: Assistant | undefined;
  const world = await startWebWorld({
    gate: { tools: [], ...(onDisk ? { store: sqliteStore(join(folder, "engine.db")) } : {}), ...gate },
    serve: onDisk ? { identity: join(folder, "identity.db") } : {},
    mounts: (made) => {
      // The assistant knows the gate by the package's name, this file by its source: the same thing to both.
      const known = made as unknown as AssistantGate;
      assistant = createAssistant({ gate: known, folder, members: () => [{ userId: "ann", name: "Ann" }] });
      return assistantMounts(assistant);
    },
  });
  if (assistant === undefined) throw new Error("The server did not mount the assistant.");
  const mounted = assistant;
  if (demo) await mounted.demo.start({ kind: "person", userId: "ann", workspaceId: "home" });
  const close = async () => {
    await mounted.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...world, assistant: mounted, close };
}
