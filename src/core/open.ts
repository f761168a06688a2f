import { randomBytes } from "node:crypto";
import { stateAt } from "./approval.js";
import { systemClock } from "./clock.js";
import { type Engine, type Limits, limitsOf, loadApproval } from "./engine.js";
import { type JudgingOptions, judgingOf } from "./gate-policy.js";
import { Grouper } from "./grouper.js";
import { Lease } from "./lease.js";
import { keyedMask } from "./mask.js";
import { runningHere } from "./own-call.js";
import type { Clock, Host, Notice, People, Store } from "./ports.js";
import { Recent } from "./recent.js";
import { createRegistry, type Registry } from "./registry.js";
import type { AnyTool } from "./tool.js";
import { pastDue } from "./upkeep.js";
import { Waiters } from "./wait.js";

/** How many tokens are known here until they are spent; what is forgotten is minted anew. */
const MINTED = 10_000;

export interface EngineOptions extends JudgingOptions {
  readonly store: Store;
  readonly tools?: readonly AnyTool[];
  readonly registry?: Registry;
  readonly people?: People;
  readonly audience?: Engine["audience"];
  readonly online?: Engine["online"];
  /** Asked before anything that makes less be asked; throws to refuse. */
  readonly weaken?: Engine["weaken"];
  readonly limits?: Partial<Limits>;
  /** At least 32 bytes, under which sensitive values are fingerprinted. Random unless given: then they differ after a restart. */
  readonly maskKey?: Uint8Array;
  readonly clock?: Clock;
  readonly host: Host;
  /** Events for logs and metrics; by default nobody listens. */
  readonly notice?: Notice;
}

export function openEngine(options: EngineOptions): Engine {
  const { store, clock = systemClock } = options;
  const grouper = new Grouper(store);
  const registry = options.registry ?? createRegistry();
  registry.add(...(options.tools ?? []));
  const limits = limitsOf(options.limits);
  const engine: Engine = {
    store,
    grouper,
    clock,
    registry,
    people: options.people,
    audience: options.audience,
    online: options.online,
    ...judgingOf(options, limits),
    weaken: options.weaken,
    mask: keyedMask(options.maskKey ?? randomBytes(32)),
    limits,
    notice: quietly(options.notice),
    heads: new Map(),
    headReadings: new Map(),
    running: new Set(),
    minted: new Recent(MINTED),
    standing: new Map(),
    lease: new Lease(store, grouper, clock, options.host),
    waiters: new Waiters(
      clock,
      (approvalIds) => look(engine, approvalIds),
      (approvalId) => runningHere(engine, approvalId) !== undefined,
    ),
  };
  return engine;
}

/** Whoever listens is other people's code: a log that fails must not fail a call, least of all one that runs. */
function quietly(notice: Notice = () => {}): Notice {
  return (event, fields) => {
    try {
      notice(event, fields);
    } catch {
      // There is nobody left to tell.
    }
  };
}

/** Reads what is waited for. A due one is written down here, so that nobody waits for a sweep. */
async function look(engine: Engine, approvalIds: readonly string[]): Promise<void> {
  for (const approvalId of approvalIds) {
    const approval = await loadApproval(engine, approvalId);
    if (approval === undefined) {
      // Erased while somebody waits: what became of it cannot be learned any more.
      engine.waiters.lost(approvalId);
      continue;
    }
    if (stateAt(approval, engine.store.time()) === approval.state) engine.waiters.changed(approval);
    else await pastDue(engine, approval);
  }
}
