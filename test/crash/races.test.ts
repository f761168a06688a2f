import { expect, it, onTestFinished } from "vitest";
import type { CountersignError } from "../../src/core/errors.js";
import type { Gate } from "../../src/core/gate.js";
import { defineTool } from "../../src/core/tool.js";
import { createGate } from "../../src/create-gate.js";
import { sqliteStore } from "../../src/stores/sqlite.js";
import { place } from "./child.js";

const CALLER = { userId: "ana", workspaceId: "w1", sessionId: "s1", agentId: "bot" };
const REMOTE = { ...CALLER, sessionId: "s2" };
const person = (userId: string) => ({ kind: "person" as const, userId, workspaceId: "w1", roles: ["approver"] });
const WORKER = new URL("../../dist/stores/sqlite-worker.js", import.meta.url);

/** Two gates on one file, each with its own connection and writing thread, and the effects of both. */
async function twoGates(quorum = 1): Promise<{ gates: [Gate, Gate]; effects: string[] }> {
  const { file } = await place();
  const effects: string[] = [];
  const open = () =>
    createGate({
      store: sqliteStore(file, { worker: WORKER }),
      audience: () => ({ roles: ["approver"], quorum }),
      tools: [
        defineTool({
          name: "task.update",
          confirm: true,
          execute: (_args, { approvalId }) => void effects.push(approvalId ?? ""),
        }),
        defineTool({ name: "job.update", confirm: true }),
      ],
    });
  const gates: [Gate, Gate] = [open(), open()];
  onTestFinished(async () => {
    await Promise.all(gates.map((gate) => gate.close()));
  });
  return { gates, effects };
}

async function held(gate: Gate, tool: string, caller = CALLER): Promise<string> {
  const outcome = await gate.submit({ tool, args: {} }, caller);
  if (outcome.type !== "pending") throw new Error(`expected a question, got ${outcome.type}`);
  return outcome.approvalId;
}

/** Does it 64 times at once, turn by turn through both gates. */
function at64<T>(gates: readonly [Gate, Gate], act: (gate: Gate, index: number) => Promise<T>) {
  return Promise.allSettled(Array.from({ length: 64 }, (_, index) => act(gates[index % 2] as Gate, index)));
}

function codes(results: readonly PromiseSettledResult<unknown>[]): (string | undefined)[] {
  return results.flatMap((result) => (result.status === "rejected" ? [(result.reason as CountersignError).code] : []));
}

it("lets one of 64 persons resolve an approval and tells all others who it was (I1, I4)", async () => {
  const { gates, effects } = await twoGates();
  const approvalId = await held(gates[0], "task.update");
  const results = await at64(gates, (gate, index) =>
    gate.decide({ approvalId, decision: index % 4 === 3 ? "deny" : "approve" }, person(`p${index}`)),
  );
  const won = results.findIndex((result) => result.status === "fulfilled");
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  expect(codes(results)).toEqual(Array.from({ length: 63 }, () => "already_resolved"));
  const told = results.flatMap((result) => (result.status === "rejected" ? [result.reason.details.decidedBy] : []));
  expect(new Set(told)).toEqual(new Set([`p${won}`]));
  const outcomes = await Promise.all(gates.map((gate) => gate.resume(approvalId, CALLER)));
  const expected = won % 4 === 3 ? "denied" : "succeeded";
  expect(outcomes.map(({ type }) => type)).toEqual([expected, expected]);
  expect(effects).toEqual(won % 4 === 3 ? [] : [approvalId]);
});

it("hands one of 64 claims the permission to run (I1)", async () => {
  const { gates } = await twoGates();
  const approvalId = await held(gates[0], "job.update", REMOTE);
  await gates[1].decide({ approvalId, decision: "approve" }, person("ben"));
  const outcome = await gates[0].resume(approvalId, REMOTE);
  const tokenId = outcome.type === "pending" ? (outcome.token?.tokenId ?? "") : "";
  const results = await at64(gates, (gate) => gate.claim({ approvalId, tokenId }, REMOTE));
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  expect(codes(results)).toEqual(Array.from({ length: 63 }, () => "already_claimed"));
});

it("counts two different persons, however often and wherever each of three answers at once (I10)", async () => {
  for (let round = 0; round < 4; round++) {
    const { gates, effects } = await twoGates(2);
    const alone = await held(gates[0], "task.update");
    const twice = await at64(gates, (gate) => gate.decide({ approvalId: alone, decision: "approve" }, person("ben")));
    expect(codes(twice)).toEqual([]);
    expect(effects).toEqual([]);
    expect((await gates[1].approval(alone, person("ben"))).votes).toHaveLength(1);
    const results = await at64(gates, (gate, index) =>
      gate.decide({ approvalId: alone, decision: "approve" }, person(["ana", "ben", "cho"][index % 3] as string)),
    );
    await Promise.all(gates.map((gate) => gate.resume(alone, CALLER)));
    const { votes, resolution } = await gates[0].approval(alone, person("ben"));
    expect(new Set(votes.map(({ userId }) => userId)).size).toBe(2);
    expect(votes).toHaveLength(2);
    expect(votes.map(({ userId }) => userId)).toContain(resolution?.by);
    expect(new Set(codes(results))).toEqual(new Set(["already_resolved"]));
    expect(effects).toEqual([alone]);
  }
});

it("agrees on who was first when votes and a withdrawal meet (I4, I10)", async () => {
  const { gates, effects } = await twoGates(2);
  const approvalId = await held(gates[0], "task.update");
  await gates[0].decide({ approvalId, decision: "approve" }, person("ben"));
  const [withdrawn, voted] = await Promise.allSettled([
    gates[0].withdraw(approvalId, person("ben")),
    gates[1].decide({ approvalId, decision: "approve" }, person("cho")),
  ]);
  const { state, votes } = await gates[0].approval(approvalId, person("ben"));
  if (withdrawn.status === "fulfilled") {
    expect(voted.status === "fulfilled" && voted.value.votes).toBe(1);
    expect({ state, voters: votes.map(({ userId }) => userId) }).toEqual({ state: "pending", voters: ["cho"] });
    expect(effects).toEqual([]);
  } else {
    expect((withdrawn.reason as CountersignError).code).toBe("already_resolved");
    await gates[1].resume(approvalId, CALLER);
    expect(effects).toEqual([approvalId]);
  }
});
