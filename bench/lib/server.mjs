// A process of its own: a server with people, each with a session and an agent. Prints where it is and who they are.
import { join } from "node:path";
import { createGate, defineTool } from "../../dist/index.js";
import { serve } from "../../dist/server/index.js";
import { sqliteStore } from "../../dist/stores/sqlite.js";

const [folder = "", people = "1"] = process.argv.slice(2);
const gate = createGate({
  store: sqliteStore(join(folder, "gate.db")),
  limits: { pendingPerUser: 10_000 },
  tools: [defineTool({ name: "notes.share", effect: "write", riskTier: "R3" })],
  // Each call is for its own person, as in a large company; nobody is asked about everything.
  audience: (_call, caller) => ({ persons: [caller.userId] }),
});
const served = await serve(gate, {
  port: 0,
  identity: join(folder, "identity.db"),
  web: false,
  writeLimits: [{ per: "caller", max: 1_000_000, window: 60_000 }],
});
const { identity, doors } = served.service;
const link = new URLSearchParams(new URL(await served.signInLink()).hash.slice(1)).get("t") ?? "";
const { session } = await identity.signInLinks.redeem(link);
const owner = await identity.sessions.enter(session, gate.caller.workspaceId);
if (owner === undefined) throw new Error("the owner is not a member");

const list = [];
for (let n = 0; n < Number(people); n++) {
  const invitation = await identity.invitations.create(owner, "member");
  const joined = await identity.invitations.acceptAsNew(invitation.token, { name: `person ${n}` });
  const person = await identity.sessions.enter(joined.session, owner.workspaceId);
  if (person === undefined) throw new Error("not a member");
  const { apiKey } = await identity.agents.create(person, { name: "agent", scopes: ["notes.*"], devices: "none" });
  list.push({ cookie: `${doors.cookie}=${joined.token}`, apiKey });
}
const [origin = ""] = doors.origins;
console.log(JSON.stringify({ port: Number(new URL(origin).port), origin, people: list }));

// Whoever started this may ask what it holds, once everything that is not needed is gone.
process.on("message", () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
