// The identity rows: what every request pays (key, bound token, session) and what a decision or a write costs. Lookups are
// reads and must stay cheap; whatever is durable is bound by the disk's flush.
import { join } from "node:path";
import { openIdentity, sqliteIdentityDatabase } from "../dist/server/identity/index.js";
import { newApiKey } from "../dist/server/identity/key-format.js";
import { inTempFolder, median, table, throughput } from "./lib/measure.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SPAN = Number(process.env.BENCH_MS ?? 1_000);

await inTempFolder(async (folder) => {
  const database = sqliteIdentityDatabase(join(folder, "identity.db"));
  const identity = await openIdentity({
    database,
    relyingParty: { id: "localhost", name: "Countersign", origins: ["http://localhost:4801"] },
    audit: () => undefined,
    writeLimits: [{ per: "caller", max: 1_000_000_000, window: 3_600_000 }],
  });
  const first = await identity.persons.createFirstOwner();
  const { token, session } = await identity.signInLinks.redeem(first?.link.token);
  const owner = await identity.sessions.enter(session, first?.workspaceId ?? "");
  if (owner === undefined) throw new Error("the owner is not a member");
  /** @type {{ apiKey: string }[]} */
  const keys = [];
  for (let i = 0; i < 1_000; i++) {
    keys.push(await identity.agents.create(owner, { name: `agent ${i}`, scopes: ["email.*"], devices: "none" }));
  }
  const keyAt = (/** @type {number} */ n) => keys[n % keys.length]?.apiKey;
  const agent = await identity.agentAccess.find(keyAt(0));
  if (agent === undefined) throw new Error("a key that should work was refused");
  const unknown = newApiKey();

  /** @type {[string, (n: number) => Promise<unknown>, number][]} */
  const rows = [
    ["key verify, one of 1,000", (n) => identity.agentAccess.find(keyAt(n)), 1],
    ["well-formed unknown key", () => identity.agentAccess.find(unknown), 1],
    ["malformed key", () => identity.agentAccess.find("csk_live_wrong"), 1],
    ["session lookup", () => identity.sessions.find(token), 1],
    ["session lookup and workspace", () => identity.sessions.enter(session, owner.workspaceId), 1],
    ["write limit", () => identity.limits.countWrite(agent, { tool: "email.send" }), 8],
  ];
  const results = [["what", "per second"]];
  for (const [what, task, inFlight] of rows) {
    const measured = [];
    for (let round = 0; round < ROUNDS; round++) measured.push((await throughput(task, inFlight, SPAN)).perSecond);
    results.push([what, Math.round(median(measured)).toLocaleString("en")]);
  }
  console.log(table(results));
  await identity.close();
  await database.close();
});
