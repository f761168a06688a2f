import { z } from "zod";
import { defineTool } from "../../dist/index.js";

/** A tool that asks, as most writes that leave the system do. */
export const send = defineTool({
  name: "mail.send",
  inputSchema: z.object({ to: z.string(), n: z.number() }),
  execute: () => ({ ok: true }),
});

/**
 * A call is asked, a person approves it, it runs, and all of it is durable.
 * @param {import("../../dist/index.js").Gate} gate
 * @param {number} n
 * @param {string} [workspaceId]
 */
export async function cycle(gate, n, workspaceId = "w1") {
  const caller = { userId: "u1", workspaceId, sessionId: "s1", agentId: "a1" };
  const asked = await gate.submit({ tool: "mail.send", args: { to: "ann@example.com", n } }, caller);
  if (asked.type !== "pending") throw new Error(`a call that should wait ended as ${asked.type}`);
  await gate.decide(
    { approvalId: asked.approvalId, decision: "approve" },
    { kind: "person", userId: "u1", workspaceId },
  );
  const done = await gate.resume(asked.approvalId, caller);
  if (done.type !== "succeeded") throw new Error(`a cycle ended as ${done.type}`);
}
