import type { Caller, Gate, JsonObject, Locale, Outcome, Person } from "countersign";
import type { Apps } from "../apps/apps.js";
import { type DemoLine, DemoLines } from "./lines.js";
import { type Bilingual, DEMO_TODOS, FIRST_STEPS, READS, SAYS, STEPS, type StepName } from "./script.js";

/** The scripted agent of the first minute. It has no rights of its own: each of its calls passes the gate. */
export interface Demo {
  /** Starts it in an empty household, or takes it up where a restart left it. False when there is other data already. */
  start(person: Person, locale?: Locale): Promise<boolean>;
  /** What it said, from a sequence number on. Empty when there is no demo. */
  lines(workspaceId: string, after?: number): readonly DemoLine[];
  /** Withdraws its questions and deletes its data. The audit log keeps what happened. */
  remove(person: Person): Promise<void>;
  /** Ends its waiting, nothing else; `start` takes it up again. */
  stop(): Promise<void>;
}

interface Parts {
  readonly gate: Gate;
  readonly apps: Apps;
  readonly notice: (event: string, fields: JsonObject) => void;
}

const AGENT = "demo";
/** How long one wait lasts before it is begun again; an answer is told at once. */
const ROUND = 30_000;

export function createDemo({ gate, apps, notice }: Parts): Demo {
  const lines = new DemoLines(apps.household);
  const stopped = { value: false };
  const following = new Set<string>();
  const callerFor = ({ userId, workspaceId }: Person): Caller => ({
    userId,
    workspaceId,
    sessionId: `demo-${workspaceId}`,
    agentId: AGENT,
    surface: "demo",
  });

  const ask = async (step: StepName, person: Person, supersedes?: string): Promise<void> => {
    const { call, asks } = STEPS[step];
    const outcome = await gate.submit(
      { ...call, ...(supersedes === undefined ? {} : { supersedes }) },
      callerFor(person),
      { personAsked: true },
    );
    if (outcome.type !== "pending") return end(step, person, outcome);
    lines.add(person.workspaceId, `asked:${step}`, asks, outcome.approvalId);
    follow(step, outcome.approvalId, person);
  };

  /** Waits in the background for what people say, and goes on from there. */
  const follow = (step: StepName, approvalId: string, person: Person): void => {
    if (following.has(approvalId)) return;
    following.add(approvalId);
    const wait = async (): Promise<void> => {
      for (;;) {
        const outcome = await gate.resume(approvalId, callerFor(person), { deadline: ROUND });
        if (stopped.value || !following.has(approvalId)) return;
        if (outcome.type !== "pending") return end(step, person, outcome);
      }
    };
    wait()
      .catch((error: Error) => {
        if (!stopped.value) notice("demo.failed", { step, why: error.message });
      })
      .finally(() => following.delete(approvalId));
  };

  const end = async (step: StepName, person: Person, outcome: Outcome): Promise<void> => {
    const { workspaceId } = person;
    markCreated(apps, outcome);
    if (outcome.type === "succeeded" && outcome.changes !== undefined) {
      lines.add(workspaceId, "said", SAYS.changed(outcome.changes.map(({ path }) => path.join(".")).join(", ")));
    }
    lines.add(workspaceId, `ended:${step}`, told(step, outcome), outcome.approvalId);
    const { instead } = STEPS[step];
    if (outcome.type === "denied" && instead !== undefined) await ask(instead, person, outcome.approvalId);
  };

  return {
    async start(person, locale = "en") {
      const { workspaceId, userId } = person;
      const before = lines.after(workspaceId, 0);
      if (before.length > 0) {
        for (const { step, approvalId } of lines.open(workspaceId)) follow(step, approvalId, person);
        return true;
      }
      if (!isEmpty(apps, workspaceId)) return false;
      lines.add(workspaceId, "said", SAYS.intro);
      for (const { title, done } of DEMO_TODOS) {
        const { id } = apps.todos.create(workspaceId, userId, { title: title[locale], demo: true });
        if (done) apps.todos.update(workspaceId, id, { done: true });
      }
      for (const { call, says } of READS) {
        const outcome = await gate.submit(call, callerFor(person));
        lines.add(workspaceId, "said", outcome.type === "succeeded" ? says : SAYS.failed(outcome.message));
      }
      for (const step of FIRST_STEPS) await ask(step, person);
      return true;
    },
    lines: (workspaceId, after = 0) => lines.after(workspaceId, after),
    async remove(person) {
      following.clear();
      for (const { approvalId } of lines.open(person.workspaceId)) {
        await gate.cancel({ approvalId }, callerFor(person), "the demo was removed").catch(() => undefined);
      }
      apps.household.run("DELETE FROM todo WHERE workspace_id = ? AND demo = 1", person.workspaceId);
      lines.clear(person.workspaceId);
    },
    stop() {
      stopped.value = true;
      following.clear();
      return Promise.resolve();
    },
  };
}

function isEmpty(apps: Apps, workspaceId: string): boolean {
  const found = [
    apps.todos.list(workspaceId, { status: "all" }),
    apps.notes.list(workspaceId),
    apps.lists.all(workspaceId),
  ];
  return found.every((things) => things.length === 0);
}

/** What the demo's own calls created is demo data too. */
function markCreated({ household }: Apps, outcome: Outcome): void {
  const task =
    outcome.type === "succeeded"
      ? (outcome.result as { readonly task?: { readonly id?: string } } | null)?.task
      : undefined;
  if (task?.id !== undefined) household.run("UPDATE todo SET demo = 1 WHERE id = ?", task.id);
}

function told(step: StepName, outcome: Outcome): Bilingual {
  switch (outcome.type) {
    case "succeeded":
      return STEPS[step].done;
    case "denied":
      return STEPS[step].denied;
    case "expired":
      return SAYS.expired;
    case "cancelled":
      return SAYS.cancelled;
    case "failed":
    case "unknown":
    case "pending":
      return SAYS.failed(outcome.message);
    default:
      return outcome satisfies never;
  }
}
