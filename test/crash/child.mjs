// A process that works on one SQLite file until it is killed: it asks, decides, runs and tells its parent each step, one JSON
// line each, only after the gate has acknowledged it. Effects go to a file of their own, flushed before the tool returns.
import { fsyncSync, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGate, defineTool } from "../../dist/index.js";
import { sqliteStore } from "../../dist/stores/sqlite.js";

const [path = "", sink = "", mode = "host", point = "none"] = process.argv.slice(2);
const CALLER = { userId: "ana", workspaceId: "w1", sessionId: `s${process.pid}`, agentId: "bot" };
const ANA = /** @type {const} */ ({ kind: "person", userId: "ana", workspaceId: "w1" });

/** @param {Record<string, unknown>} step */
function tell(step) {
  writeSync(1, `${JSON.stringify(step)}\n`);
}

const effects = openSync(sink, "a");
/** @param {unknown} _args @param {{ approvalId: string | undefined }} context */
async function act(_args, { approvalId }) {
  dieAt("before-effect");
  writeSync(effects, `${approvalId}\n`);
  dieAt("during-effect");
  fsyncSync(effects);
  dieAt("after-effect");
  return { pid: process.pid };
}

/** @param {string} here */
function dieAt(here) {
  if (here === point) process.kill(process.pid, "SIGKILL");
}

const shared = { riskTier: /** @type {const} */ ("R1"), execute: act };
const gate = createGate({
  store: sqliteStore(path),
  // What a killed process had asked goes on waiting, and hundreds are killed.
  limits: { pendingPerUser: 10_000 },
  tools:
    mode === "decide-only"
      ? []
      : [
          defineTool({ name: "task.update", confirm: true, ...shared }),
          defineTool({ name: "task.note", confirm: false, ...shared }),
        ],
});

let n = 0;
async function cycle() {
  const held = await gate.submit({ tool: "task.update", args: {}, context: { n: n++ } }, CALLER);
  if (held.type !== "pending") throw new Error(`expected a question, got ${held.type}`);
  const { approvalId } = held;
  tell({ step: "held", approvalId });
  const decision = n % 5 === 0 ? "deny" : "approve";
  const decided = await gate.decide({ approvalId, decision }, ANA);
  tell({ step: "decided", approvalId, as: decided.resolution?.type });
  const outcome = await gate.resume(approvalId, CALLER);
  tell({ step: "ended", approvalId, as: outcome.type });
  const noted = await gate.submit({ tool: "task.note", args: {} }, CALLER);
  tell({ step: "ended", approvalId: noted.approvalId, as: noted.type });
}

await gate.sweep();
tell({ step: "ready" });
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "work") for (;;) await Promise.all([cycle(), cycle()]);
  if (line === "once") await cycle();
  if (line === "wait") {
    const call = { tool: "task.update", args: {} };
    const asked = await gate.submit(call, CALLER);
    tell({ step: "held", approvalId: asked.approvalId });
    const outcome = await gate.run(call, CALLER);
    tell({ step: "ended", approvalId: asked.approvalId, as: outcome.type });
  }
  if (line.startsWith("approve ")) {
    const { resolution } = await gate.decide({ approvalId: line.slice(8), decision: "approve" }, ANA);
    tell({ step: "decided", approvalId: line.slice(8), as: resolution?.type });
  }
}
await gate.close();
