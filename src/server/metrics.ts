import { roleIndexes } from "../core/approval.js";
import type { Entry } from "../core/ports.js";
import { DEFAULT_ROLES } from "../core/roles.js";
import type { Service } from "./service.js";

/** Upper ends of the times to decision, in seconds. */
const BUCKETS = [1, 5, 15, 60, 300, 900, 3_600] as const;
const PAGE = 1_000;
/** Beyond this an open question is counted and no more timed. */
const MAX_OPEN = 100_000;

interface Histogram {
  readonly counts: number[];
  sum: number;
  total: number;
}

/**
 * What happened, counted from the chain itself: whoever decided, on whatever instance, is counted by each instance once. It is
 * read when somebody asks, and starts where the chain stood when the server did.
 */
export class Metrics {
  readonly #service: Service;
  readonly #cursors = new Map<string, number>();
  readonly #open = new Map<string, number>();
  readonly #counters = new Map<string, number>();
  readonly #decisions: Histogram = { counts: BUCKETS.map(() => 0), sum: 0, total: 0 };
  #reading: Promise<void> = Promise.resolve();

  constructor(service: Service) {
    this.#service = service;
  }

  /** Prometheus text. Asked twice at once, the chain is read once after the other. */
  async text(): Promise<string> {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#readAll());
    await this.#reading;
    return [
      ...gauge("countersign_pending", "Questions that wait for a person.", await this.#pending()),
      ...counters("countersign_resolutions_total", "Answers, by how the question ended.", this.#counters, "resolution"),
      ...counters(
        "countersign_calls_total",
        "Calls that passed the gate, by what became of them.",
        this.#counters,
        "call",
      ),
      ...histogram("countersign_decision_seconds", "From the question to its answer.", this.#decisions),
      ...gauge("countersign_unknown_executions", "Executions nobody can tell about.", await this.#unknown()),
      "",
    ].join("\n");
  }

  async #readAll(): Promise<void> {
    const { gate } = this.#service;
    for (const workspaceId of await this.#workspaces()) {
      let after = this.#cursors.get(workspaceId);
      if (after === undefined) {
        this.#cursors.set(workspaceId, (await gate.head(workspaceId)).seq);
        continue;
      }
      for (;;) {
        const page = await gate.entries(workspaceId, after, PAGE);
        for (const entry of page) this.#count(entry);
        after = page.at(-1)?.seq ?? after;
        this.#cursors.set(workspaceId, after);
        if (page.length < PAGE) break;
      }
    }
  }

  #count({ type, ref, time, content }: Entry): void {
    const told = content === null ? {} : (JSON.parse(content) as { as?: string });
    if (type === "approval.created") {
      if (this.#open.size < MAX_OPEN) this.#open.set(ref, time);
      return this.#add("call", "held");
    }
    if (type === "approval.resolved") {
      const asked = this.#open.get(ref);
      this.#open.delete(ref);
      if (asked !== undefined) observe(this.#decisions, (time - asked) / 1_000);
      return this.#add("resolution", told.as ?? "unknown");
    }
    if (type === "call.allowed") return this.#add("call", "auto_approved");
    if (type === "call.denied") return this.#add("call", "denied");
    if (type === "call.executed") return this.#add("call", told.as === "failed" ? "failed" : "succeeded");
    if (type === "call.lost") return this.#add("call", "unknown");
  }

  #add(family: string, value: string): void {
    const key = `${family}/${value}`;
    this.#counters.set(key, (this.#counters.get(key) ?? 0) + 1);
  }

  /** Nearly every question is listed for owners and approvers; one that is for a group alone is not counted here. */
  async #pending(): Promise<number> {
    let pending = 0;
    for (const workspaceId of await this.#workspaces()) {
      for (const index of roleIndexes(workspaceId, DEFAULT_ROLES)) pending += await this.#listed(index);
    }
    return pending;
  }

  async #unknown(): Promise<number> {
    let unknown = 0;
    for (const workspaceId of await this.#workspaces()) unknown += await this.#listed(`unknown/${workspaceId}`);
    return unknown;
  }

  async #listed(index: string): Promise<number> {
    let total = 0;
    for (let after = ""; ; ) {
      const page = await this.#service.gate.store.list(index, after, PAGE);
      total += page.length;
      if (page.length < PAGE) return total;
      after = page.at(-1)?.id ?? "";
    }
  }

  async #workspaces(): Promise<readonly string[]> {
    const rows = await this.#service.identity.database.all<{ id: string }>("SELECT id FROM identity_workspace");
    return rows.map(({ id }) => id);
  }
}

function observe(into: Histogram, seconds: number): void {
  const at = BUCKETS.findIndex((end) => seconds <= end);
  if (at !== -1) into.counts[at] = (into.counts[at] ?? 0) + 1;
  into.sum += seconds;
  into.total++;
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}

function counters(name: string, help: string, values: ReadonlyMap<string, number>, family: string): string[] {
  const own = [...values].filter(([key]) => key.startsWith(`${family}/`)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} counter`,
    ...own.map(([key, value]) => `${name}{as="${key.slice(family.length + 1)}"} ${value}`),
  ];
}

function histogram(name: string, help: string, { counts, sum, total }: Histogram): string[] {
  let below = 0;
  const lines = BUCKETS.map((end, at) => {
    below += counts[at] ?? 0;
    return `${name}_bucket{le="${end}"} ${below}`;
  });
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...lines,
    `${name}_bucket{le="+Inf"} ${total}`,
    `${name}_sum ${sum}`,
    `${name}_count ${total}`,
  ];
}
