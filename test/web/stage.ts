import type { BrowserContextOptions } from "playwright-core";
import type { GateOptions } from "../../src/index.js";
import { startHousehold } from "./household.js";
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

export type Stage = Awaited<ReturnType<typeof openStage>>;
export type StageName = "lived" | "crowded" | "empty" | "home";

/**
 * Four servers for all pictures and checks of a file: one that has been lived in; one in which two hundred questions wait; one in
 * which nothing ever happened; and a household with its assistant in the first minute.
 */
export async function openStage() {
  const lived = await startWebWorld({
    gate: {
      limits: LIMITS,
      thresholds: { bytes: 100 },
      audience: audienceOf,
    },
  });
  const crowded = await startWebWorld({ gate: { limits: LIMITS } });
  const empty = await startWebWorld();
  const home = await startHousehold({ gate: { limits: LIMITS }, demo: true });
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
    await Promise.all(Object.values(worlds).map((world) => world.close()));
  };
  return { worlds, ids, onlooker, owner, close };
}
