import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newEntry } from "../src/core/audit.js";
import type { GateOptions } from "../src/core/gate.js";
import { newId } from "../src/core/ids.js";
import type { Clock, Entry, Store } from "../src/core/ports.js";
import { createGate } from "../src/create-gate.js";
import { generateSigningKey, parseSigningKey } from "../src/proof/key.js";

export const WORKSPACE = "home";
export const ANNA = { kind: "person", userId: "anna", workspaceId: WORKSPACE } as const;
export const CALLER = { userId: "anna", workspaceId: WORKSPACE, sessionId: "s1", agentId: "helper" };

export interface ManualClock extends Clock {
  /** Lets time pass and fires what is due, in order. */
  advance(milliseconds: number): void;
}

export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => now,
    timer(delay, run) {
      const timer = { at: now + delay, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
    },
  };
}

export const newKey = (name = "ops.example") => parseSigningKey(generateSigningKey(name));

export async function write(store: Store, count: number, workspaceId = WORKSPACE): Promise<void> {
  for (let i = 0; i < count; i++) {
    const entry = newEntry("call.read", `ref-${i % 7}`, { number: i, says: "你好\n=1+1" });
    await store.commit([{ changeId: newId(), workspaceId, puts: [], entries: [entry] }]);
  }
}

export async function all(store: Store, workspaceId = WORKSPACE): Promise<Entry[]> {
  return [...(await store.entries(workspaceId, 0, 100_000))];
}

/** A gate that is closed with the test, and the calls its tools ran. */
export function openGate(
  store: Store,
  clock: Clock,
  tools: NonNullable<GateOptions["tools"]>,
  options: Partial<GateOptions> = {},
) {
  const gate = createGate({ store, clock, tools, ...options });
  onTestFinished(() => gate.close());
  return gate;
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-proof-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
