import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { z } from "zod";
import {
  type Caller,
  type Clock,
  createGate,
  defineTool,
  type Gate,
  type GateOptions,
  memoryStore,
  type Outcome,
  type RiskTier,
  type Tool,
} from "../../src/index.js";
import { sqliteStore } from "../../src/stores/sqlite.js";
import { CALLER, expectPending } from "../gate/support.js";

export { ANN, BOB, CALLER, codeOf } from "../gate/support.js";

/** Time that stands still until it is moved. Timers run when their time has come. */
export class StillClock implements Clock {
  time = Date.parse("2026-01-01T12:00:00Z");
  now = () => this.time;
  timer = () => () => {};
}

const gates: Gate[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(gates.splice(0).map((gate) => gate.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Each gives a way to open one and the same store as often as wanted. */
export const STORES = {
  memory: () => {
    const store = memoryStore();
    return () => store;
  },
  sqlite: () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-"));
    folders.push(folder);
    return () => sqliteStore(join(folder, "gate.db"), { worker: false });
  },
};

export function newGate(options: Partial<GateOptions> = {}): Gate {
  const { clock } = options;
  const store = options.store ?? memoryStore(clock === undefined ? {} : { clock });
  const gate = createGate({ caller: CALLER, ...options, store });
  gates.push(gate);
  return gate;
}

export interface Recorded {
  readonly tool: Tool<{ id: string; amount?: number | undefined }>;
  readonly runs: string[];
}

/** A tool that writes down what it ran with. Its verb says nothing, so its tier is the declared one. */
export function recorded(riskTier: RiskTier = "R2", extra: object = {}): Recorded {
  const runs: string[] = [];
  const tool = defineTool({
    name: "notes.add",
    riskTier,
    inputSchema: z.object({ id: z.string(), amount: z.number().optional() }),
    execute: ({ id }) => {
      runs.push(id);
      return { id };
    },
    ...extra,
  });
  return { tool, runs };
}

export function pendingId(outcome: Outcome): string {
  return expectPending(outcome).approvalId;
}

/** Submits a call of the recorded tool. */
export function submit(gate: Gate, id: string, caller: Partial<Caller> = {}, args: object = {}): Promise<Outcome> {
  return gate.submit({ tool: "notes.add", args: { id, ...args } }, { ...CALLER, ...caller });
}

/** Whether the call runs unasked, asks or is refused. */
export async function verdictOf(outcome: Promise<Outcome>): Promise<string> {
  const { type } = await outcome;
  return type === "succeeded" ? "ran" : type;
}

export async function entries(
  gate: Gate,
): Promise<{ readonly type: string; readonly content: Record<string, unknown> }[]> {
  const all = await gate.store.entries("home", 0, 10_000);
  return all.map(({ type, content }) => ({ type, content: JSON.parse(content ?? "{}") as Record<string, unknown> }));
}
