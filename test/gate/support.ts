import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe } from "vitest";
import { z } from "zod";
import type { Clock, Store } from "../../src/core/ports.js";
import {
  type Caller,
  createGate,
  defineTool,
  type Gate,
  type GateOptions,
  memoryStore,
  type Outcome,
  type Person,
  type Tool,
  type ToolDefinition,
} from "../../src/index.js";
import { sqliteStore } from "../../src/stores/sqlite.js";

/** Time that moves only when told to, firing timers in order on the way. */
export class ManualClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00Z");
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  timer(delay: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delay), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await turns();
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await turns();
    }
    this.#now = end;
    await turns();
  }
}

/** Lets everything that is ready have its turn. */
export async function turns(count = 25): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

type MakeStore = (clock?: Clock, path?: string) => Store;

/** The same behaviour on both stores. Every gate made here is closed afterwards. */
export function onEachStore(title: string, suite: (world: World) => void): void {
  const stores: Record<string, MakeStore> = {
    memory: (clock) => memoryStore(clock === undefined ? {} : { clock }),
    sqlite: (clock, path = newFile()) =>
      sqliteStore(path, { worker: false, ...(clock === undefined ? {} : { clock }) }),
  };
  describe.each(Object.entries(stores))(`${title} (%s)`, (_name, makeStore) => {
    suite(new World(makeStore));
  });
}

const folders: string[] = [];

export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-"));
  folders.push(folder);
  return join(folder, "gate.db");
}

export class World {
  readonly #makeStore: MakeStore;
  readonly #gates: Gate[] = [];

  constructor(makeStore: MakeStore) {
    this.#makeStore = makeStore;
    afterEach(async () => {
      await Promise.all(this.#gates.splice(0).map((gate) => gate.close()));
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    });
  }

  gate(options: Partial<GateOptions> = {}, path?: string): Gate {
    const store = options.store ?? this.#makeStore(options.clock, path);
    const gate = createGate({ caller: CALLER, ...options, store });
    this.#gates.push(gate);
    return gate;
  }
}

export const CALLER: Caller = { userId: "ann", workspaceId: "home", sessionId: "s1", agentId: "helper" };
export const ANN: Person = { kind: "person", userId: "ann", workspaceId: "home" };
export const BOB: Person = { kind: "person", userId: "bob", workspaceId: "home", roles: ["approver"] };
export const CAT: Person = { kind: "person", userId: "cat", workspaceId: "home", roles: ["owner"] };
/** A member of the workspace who is in nobody's audience. */
export const DAN: Person = { kind: "person", userId: "dan", workspaceId: "home", roles: ["member"] };

export interface Counted extends Tool<{ id: string }, unknown> {
  /** The arguments of every run, in order. */
  readonly runs: { readonly id: string }[];
}

/** A tool that counts its runs; destructive unless said otherwise, so that it asks. */
export function counted(definition: Partial<ToolDefinition<{ id: string }, unknown>> = {}): Counted {
  const runs: { readonly id: string }[] = [];
  const tool = defineTool<{ id: string }, unknown>({
    name: "tasks.delete",
    destructive: definition.effect === undefined && definition.riskTier === undefined,
    inputSchema: z.object({ id: z.string().meta({ title: "Task" }) }),
    execute: (args) => {
      runs.push(args);
      return { deleted: args.id };
    },
    ...definition,
  });
  return Object.assign(Object.create(null), tool, { runs }) as Counted;
}

/** The same, for a tool that its agent runs elsewhere. */
export function remote(
  definition: Partial<ToolDefinition<{ id: string }, unknown>> = {},
): Tool<{ id: string }, unknown> {
  return defineTool<{ id: string }, unknown>({
    name: "tasks.delete",
    destructive: true,
    inputSchema: z.object({ id: z.string() }),
    ...definition,
  });
}

export function expectPending(outcome: Outcome): Extract<Outcome, { type: "pending" }> {
  if (outcome.type !== "pending") throw new Error(`expected pending, got ${outcome.type}: ${outcome.message}`);
  return outcome;
}

/** Asks, and gives the pending approval's id. */
export async function ask(gate: Gate, id = "7", caller: Caller = CALLER): Promise<string> {
  return expectPending(await gate.submit({ tool: "tasks.delete", args: { id } }, caller)).approvalId;
}

/** The code of the error that a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return "no error";
}

/** A promise that is settled from outside. */
export function latch<T = void>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

export async function entryTypes(gate: Gate, workspaceId = "home"): Promise<string[]> {
  return (await gate.store.entries(workspaceId, 0, 1_000)).map((entry) => entry.type);
}
