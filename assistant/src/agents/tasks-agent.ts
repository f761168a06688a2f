import type { JsonObject } from "countersign";
import type { Apps } from "../apps/apps.js";
import type { Todo } from "../household/todos.js";
import { readTask } from "../language/read-task.js";
import type { TaskIntent } from "../language/task-intent.js";
import type { Member } from "../people.js";
import { wordsIn } from "../words/words.js";
import { type Agent, type Plan, STATED, type Turn } from "./agent.js";
import { findTasks } from "./find-task.js";

const DOMAIN = "tasks";
const IT = /^(?:it|that|this|that one|this one|the task|它|这个|那个|这|那)$/i;
const ME = /^(?:me|myself|我|我自己)$/i;

/** Tasks: what the parser reads becomes a call, with the parser's own confidence. */
export const tasksAgent: Agent = {
  domain: DOMAIN,
  plan: (turn, apps) => answered(turn, apps) ?? planFor(readTask(turn.text, turn.moment), turn, apps),
};

/** Whether the sentence orders a task outright, so that no other agent may take it for its own. */
export function isExplicitTask(turn: Turn): boolean {
  const intent = readTask(turn.text, turn.moment);
  return intent.type === "create" && ["explicit", "label", "reminder"].includes(intent.pattern);
}

function planFor(intent: TaskIntent, turn: Turn, apps: Apps): Plan | undefined {
  const words = wordsIn(turn.locale);
  switch (intent.type) {
    case "create": {
      const { title, priority, dueAt, confidence } = intent;
      return call("tasks.create", { title, priority, ...(dueAt === undefined ? {} : { dueAt }) }, confidence);
    }
    case "untitled":
      return {
        type: "say",
        domain: DOMAIN,
        text: words.whichTitle,
        payload: { awaitingInput: "title" },
        awaiting: { kind: "title" },
      };
    case "complete":
      return withTask(intent, turn, apps, (task) => call("tasks.complete", { taskId: task.id }, intent.confidence));
    case "reschedule":
      return withTask(intent, turn, apps, (task) =>
        call("tasks.update", { taskId: task.id, dueAt: intent.dueAt }, intent.confidence),
      );
    case "assign":
      return assign(intent, turn, apps);
    case "delete":
      return remove(intent, turn, apps);
    case "list":
      return call("tasks.list", { status: intent.status }, STATED);
    case "question":
      return intent.about === "tasks" ? call("tasks.list", {}, STATED) : undefined;
    case "refusal":
      return { type: "refuse", domain: DOMAIN };
    case "chatter":
      return undefined;
    default:
      return intent satisfies never;
  }
}

function assign(intent: Extract<TaskIntent, { type: "assign" }>, turn: Turn, apps: Apps): Plan {
  const { members } = turn;
  const assignee = memberCalled(intent.assignee, members, turn.userId);
  if (assignee === undefined) {
    const known = members.map((member) => member.name);
    return { type: "say", domain: DOMAIN, text: wordsIn(turn.locale).whoIsThat(intent.assignee, known) };
  }
  return withTask(intent, turn, apps, (task) =>
    call("tasks.assign", { taskId: task.id, assignedToUserId: assignee.userId }, intent.confidence),
  );
}

function memberCalled(name: string, members: readonly Member[], userId: string): Member | undefined {
  const found = members.filter((member) =>
    ME.test(name)
      ? member.userId === userId
      : [member.name, member.userId].some((known) => known.toLowerCase() === name.toLowerCase()),
  );
  return found.length === 1 ? found[0] : undefined;
}

function remove(intent: Extract<TaskIntent, { type: "delete" }>, turn: Turn, apps: Apps): Plan {
  if (intent.scope === "completed") return call("todo-clear", { all: false }, STATED);
  if (intent.scope === "one") {
    return withTask(intent, turn, apps, (task) => call("tasks.delete", { taskId: task.id }, STATED), "all");
  }
  if (intent.target === "") return call("todo-clear", { all: true }, STATED);
  // "All" of some: exactly those whose titles say so, never all there are.
  const found = findTasks(intent.target, apps.todos.list(turn.workspaceId, { status: "all" }));
  if (found.length === 0) return { type: "say", domain: DOMAIN, text: wordsIn(turn.locale).noSuchTask(intent.target) };
  return call("todo-delete-batch", { ids: found.map((task) => task.id) }, STATED);
}

/** Goes on with the one task that is meant; none or several are told and asked about. */
function withTask(
  intent: TaskIntent & { readonly target: string },
  turn: Turn,
  apps: Apps,
  go: (task: Todo) => Plan,
  status: "open" | "all" = "open",
): Plan {
  const tasks = apps.todos.list(turn.workspaceId, { status });
  const found = IT.test(intent.target)
    ? tasks.filter((task) => task.id === turn.memory.taskId)
    : findTasks(intent.target, tasks);
  const [only] = found;
  if (only !== undefined && found.length === 1) return go(only);
  const words = wordsIn(turn.locale);
  if (found.length === 0) return { type: "say", domain: DOMAIN, text: words.noSuchTask(intent.target) };
  const candidates = found.slice(0, 9);
  return {
    type: "say",
    domain: DOMAIN,
    text: words.whichTask(candidates.map((task) => task.title)),
    payload: { awaitingInput: "task", candidates: candidates.map(({ id, title }) => ({ id, title })) },
    awaiting: { kind: "choice", intent: intent as unknown as JsonObject, candidates: candidates.map(({ id }) => id) },
  };
}

/** The sentence as the answer to what was asked back. Whatever is no answer is read as a sentence of its own. */
function answered(turn: Turn, apps: Apps): Plan | undefined {
  const { awaiting } = turn.memory;
  const reading = readTask(turn.text, turn.moment);
  if (awaiting === undefined || reading.type !== "chatter") return undefined;
  if (awaiting.kind === "title") {
    return planFor(readTask(`task: ${turn.text}`, turn.moment), turn, apps);
  }
  const chosen = chosenFrom(turn.text, awaiting.candidates, turn, apps);
  if (chosen === undefined) return undefined;
  return planFor({ ...(awaiting.intent as unknown as TaskIntent), target: chosen } as TaskIntent, turn, apps);
}

const ORDINALS = [
  /^(?:1|first|the first(?: one)?|第?一个?)$/i,
  /^(?:2|second|the second(?: one)?|第?二个?)$/i,
  /^(?:3|third|the third(?: one)?|第?三个?)$/i,
];

function chosenFrom(text: string, candidates: readonly string[], turn: Turn, apps: Apps): string | undefined {
  const said = text.trim().replace(/[.!。]$/, "");
  const index = /^\d$/.test(said) ? Number(said) - 1 : ORDINALS.findIndex((ordinal) => ordinal.test(said));
  if (index >= 0) return candidates[index];
  const tasks = candidates.flatMap((id) => apps.todos.find(turn.workspaceId, id) ?? []);
  const found = findTasks(said, tasks);
  return found.length === 1 ? found[0]?.id : undefined;
}

function call(tool: string, args: JsonObject, confidence: number): Plan {
  return { type: "call", domain: DOMAIN, tool, args, confidence };
}
