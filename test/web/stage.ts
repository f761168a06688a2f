import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { type Assistant, assistantMounts, createAssistant } from "../../assistant/src/index.js";
import type { GateOptions } from "../../src/index.js";
import { fillHousehold } from "./sample-household.js";
import { startWebWorld, type Visitor } from "./world.js";

/** Long enough for all scenes in all looks. */
const HOUR = 3_600_000;
const LIMITS = { ttl: HOUR, offlineTtl: HOUR, pendingPerUser: 500 };
const CROWD = 200;

/** What is dear needs two, and a contract a passkey. */
const audienceOf: NonNullable<GateOptions["audience"]> = ({ tool, args }) => {
  const { amount = 0, subject } = args as { readonly amount?: number; readonly subject?: string };
  if (tool === "bank.pay" && amount > 1_000) return { quorum: 2, roles: ["owner", "approver"] };
  return tool === "email.send" && subject === "Contract" ? { assurance: "passkey_over_hash" } : undefined;
};

type AssistantGate = Parameters<typeof createAssistant>[0]["gate"];

export type Stage = Awaited<ReturnType<typeof openStage>>;
export type StageName = "lived" | "crowded" | "empty" | "home";

/**
 * Four servers for all pictures and checks of a file: one that has been lived in; one in which two hundred questions wait; one in
 * which nothing ever happened; and a household with its assistant in the first minute.
 */
export async function openStage() {
  const folder = await mkdtemp(join(tmpdir(), "countersign-stage-"));
  const lived = await startWebWorld({
    gate: {
      limits: LIMITS,
      thresholds: { bytes: 100 },
      audience: audienceOf,
    },
  });
  const crowded = await startWebWorld({ gate: { limits: LIMITS } });
  const empty = await startWebWorld();
  const home = await openHome(folder);
  for (let index = 1; index <= CROWD; index++) await crowded.ask("tasks.clear", { list: `List ${index}` });
  const owner = await lived.signedIn();
  const ids = await fillHousehold(lived, owner);
  const worlds = { lived, crowded, empty, home };

  /** Somebody who looks at all of them in one way, signed in to each when they first go there. */
  const onlooker = (look: BrowserContextOptions) => {
    const visitors = new Map<StageName, Visitor>();
    return async (name: StageName): Promise<Visitor> => {
      const known = visitors.get(name) ?? (await worlds[name].signedIn(look));
      visitors.set(name, known);
      return known;
    };
  };
  const close = async () => {
    await home.assistant.close();
    await Promise.all(Object.values(worlds).map((world) => world.close()));
    await rm(folder, { recursive: true, force: true });
  };
  return { worlds, ids, onlooker, owner, close };
}

/** A household in the first minute: the assistant is mounted, and its demo agent waits on three calls. */
export async function openHome(folder: string) {
  let assistant: Assistant | undefined;
  const world = await startWebWorld({
    gate: { tools: [], limits: LIMITS },
    mounts: (gate) => {
      // The assistant knows the gate by the package's name, this file by its source: the same thing to both.
      const known = gate as unknown as AssistantGate;
      assistant = createAssistant({ gate: known, folder, members: () => [{ userId: "ann", name: "Ann" }] });
      return assistantMounts(assistant);
    },
  });
  if (assistant === undefined) throw new Error("The server did not mount the assistant.");
  await assistant.demo.start({ kind: "person", userId: "ann", workspaceId: "home" });
  return { ...world, assistant };
}
