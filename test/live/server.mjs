// A server on one folder, until it is killed. Its tool writes each effect down, flushed, before it returns. The first line it
// prints says where it is and, on its first run, how to be its owner and its agent.
import { fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createGate, defineTool } from "../../dist/index.js";
import { serve } from "../../dist/server/index.js";
import { sqliteStore } from "../../dist/stores/sqlite.js";

const [folder = "", port = "0"] = process.argv.slice(2);
const effects = openSync(join(folder, "effects.log"), "a");
const gate = createGate({
  store: sqliteStore(join(folder, "gate.db")),
  limits: { pendingPerUser: 10_000 },
  tools: [
    defineTool({
      name: "task.update",
      effect: "write",
      riskTier: "R2",
      confirm: true,
      execute: (_args, { approvalId }) => {
        writeSync(effects, `${approvalId}\n`);
        fsyncSync(effects);
        return { ok: true };
      },
    }),
  ],
});
const served = await serve(gate, {
  port: Number(port),
  identity: join(folder, "identity.db"),
  web: false,
  writeLimits: [{ per: "caller", max: 1_000_000, window: 60_000 }],
});

const { url, service, firstRun } = served;

async function firstKeys() {
  const { identity } = service;
  const token = new URLSearchParams(new URL(await served.signInLink()).hash.slice(1)).get("t") ?? "";
  const started = await identity.signInLinks.redeem(token);
  const owner = await identity.sessions.enter(started.session, gate.caller.workspaceId);
  if (owner === undefined) throw new Error("the owner is not a member");
  const { apiKey } = await identity.agents.create(owner, { name: "load", scopes: ["task.*"], devices: "none" });
  return { apiKey, cookie: `${service.doors.cookie}=${started.token}` };
}

writeSync(1, `${JSON.stringify({ url, ...(firstRun ? await firstKeys() : {}) })}\n`);
