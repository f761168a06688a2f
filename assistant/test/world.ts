import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Caller, createGate, type Gate, memoryStore, type Outcome, type Person } from "countersign";
import { contentAnalyser } from "countersign/analysers";
import { afterEach } from "vitest";
import { type AppOptions, type Apps, createApps } from "../src/apps/apps.js";
import { Household } from "../src/household/household.js";

export const PERSON: Person = { kind: "person", userId: "ann", workspaceId: "home" };
export const CALLER: Caller = { userId: "ann", workspaceId: "home", sessionId: "s1", agentId: "assistant" };
export const MEMBERS = [
  { userId: "ann", name: "Ann" },
  { userId: "ben", name: "Ben" },
  { userId: "mia", name: "米娅" },
];

export interface World {
  readonly folder: string;
  readonly gate: Gate;
  readonly household: Household;
  readonly apps: Apps;
}

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A household of its own, on a gate of its own; both are gone after the test. */
export function newWorld(options: Partial<AppOptions> = {}): World {
  const folder = mkdtempSync(join(tmpdir(), "countersign-assistant-"));
  const household = new Household(join(folder, "household.db"));
  const apps = createApps(household, { folder, members: () => MEMBERS, ...options });
  const gate = createGate({ store: memoryStore(), tools: apps.tools, analysers: [contentAnalyser()] });
  open.push(async () => {
    await gate.close();
    await apps.close();
    household.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, gate, household, apps };
}

type Pending = Extract<Outcome, { type: "pending" }>;

export async function held(gate: Gate, tool: string, args: unknown): Promise<Pending> {
  const outcome = await gate.submit({ tool, args, confidence: 0.99 }, CALLER);
  if (outcome.type !== "pending") throw new Error(`${tool} was ${outcome.type}: ${outcome.message}`);
  return outcome;
}

/** Approves what was shown, and waits for what it came to. */
export async function approved(gate: Gate, { approvalId, card }: Pending): Promise<Outcome> {
  await gate.decide({ approvalId, decision: "approve", toolCallHash: card.toolCallHash }, PERSON);
  return gate.resume(approvalId, CALLER, { deadline: 20_000 });
}

/** Runs a call that needs nobody, and gives its result. */
export async function ran<Result>(gate: Gate, tool: string, args: unknown): Promise<Result> {
  const outcome = await gate.submit({ tool, args, confidence: 0.99 }, CALLER);
  if (outcome.type !== "succeeded") throw new Error(`${tool} was ${outcome.type}: ${outcome.message}`);
  return outcome.result as Result;
}
