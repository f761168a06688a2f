import { type AnyTool, defineTool, type Locale } from "countersign";
import { z } from "zod";
import type { Household } from "../household/household.js";
import type { Todo, Todos } from "../household/todos.js";
import type { Member, Members } from "../people.js";
import { labelsOf } from "./labels.js";
import { dueAt, id, priority, title } from "./schemas.js";
import { defined, digestOf, type RunContext, stored } from "./stored.js";

const newTask = z
  .object({
    title,
    priority: priority.default("medium"),
    dueAt: dueAt.optional(),
    assignedToUserId: id.optional(),
    notes: z.string().max(5_000).optional(),
  })
  // An argument nobody knows is a mistake to be told, not one to be dropped after it was approved.
  .strict();
const changes = z
  .object({ taskId: id, title: title.optional(), priority: priority.optional(), dueAt: dueAt.optional() })
  .strict();
const completed = z.object({ taskId: id, done: z.boolean().default(true) }).strict();
const assigned = z.object({ taskId: id, assignedToUserId: id }).strict();
const oneTask = z.object({ taskId: id }).strict();
const PRIORITIES_ZH: Readonly<Record<string, string>> = { low: "低", medium: "中", high: "高", urgent: "紧急" };

/** What the chat does with tasks. */
export function taskTools(household: Household, todos: Todos, members: Members): readonly AnyTool[] {
  const memberOf = async (workspaceId: string, userId: string | undefined): Promise<Member | undefined> => {
    if (userId === undefined) return undefined;
    const found = (await members(workspaceId)).find((member) => member.userId === userId);
    if (found === undefined) throw new Error(`There is nobody ${JSON.stringify(userId)} here.`);
    return found;
  };
  /** Whoever has left since the question was put gets nothing assigned. */
  const forMember = <Args extends { readonly assignedToUserId?: string | undefined }, Result extends object>(
    work: (args: Args, context: RunContext) => Result,
  ) => {
    const declared = stored(household, work);
    const execute = async (args: Args, context: RunContext) => {
      const assignee = await memberOf(context.workspaceId, args.assignedToUserId);
      const done = declared.execute(args, context);
      return assignee === undefined ? done : { ...done, assignedToName: assignee.name };
    };
    return { ...declared, execute };
  };
  const touched = (taskId: string, workspaceId: string, kind: string, after?: object) => {
    const task = todos.get(workspaceId, taskId);
    const effect = {
      kind,
      noun: NOUN,
      count: 1,
      sample: [task.title],
      ...(after === undefined ? {} : { after: defined(after) }),
    };
    return { effects: [effect], digest: digestOf(task) };
  };

  return [
    defineTool({
      name: "tasks.list",
      title: { en: "List tasks", zh: "列出任务" },
      effect: "read",
      inputSchema: z
        .object({
          status: z.enum(["open", "done", "all"]).default("open"),
          limit: z.number().int().min(1).max(100).default(50),
        })
        .strict(),
      execute: ({ status, limit }, { workspaceId }) => ({ tasks: todos.list(workspaceId, { status, limit }) }),
    }),
    defineTool({
      name: "tasks.create",
      title: { en: "Create a task", zh: "新建任务" },
      effect: "write",
      riskTier: "R1",
      inputSchema: newTask,
      labels: labelsOf(newTask),
      confirmPrompt: (task: z.infer<typeof newTask>, locale: Locale) => describeTask(task, locale),
      preview: async ({ title: named, assignedToUserId }, { workspaceId }) => {
        await memberOf(workspaceId, assignedToUserId);
        return { effects: [{ kind: "create", noun: NOUN, count: 1, sample: [named] }] };
      },
      rollback: {
        note: { en: "The task can be deleted again.", zh: "任务之后可以删除。" },
        call: (_args, result) => ({
          tool: "tasks.delete",
          args: { taskId: (result as unknown as { task: Todo }).task.id },
        }),
      },
      ...forMember((task: z.infer<typeof newTask>, { workspaceId, userId }) => ({
        task: todos.create(workspaceId, userId, task),
      })),
    }),
    defineTool({
      name: "tasks.update",
      title: { en: "Change a task", zh: "更改任务" },
      effect: "write",
      riskTier: "R1",
      inputSchema: changes,
      labels: labelsOf(changes),
      confirmPrompt: { en: "Change the task {taskId}?", zh: "更改任务 {taskId}？" },
      preview: ({ taskId, ...patch }, { workspaceId }) => touched(taskId, workspaceId, "update", patch),
      rollback: { note: { en: "It can be changed back.", zh: "可以改回来。" } },
      ...stored(household, ({ taskId, ...patch }: z.infer<typeof changes>, { workspaceId }) => {
        const { after, before } = todos.update(workspaceId, taskId, patch);
        return { task: after, before };
      }),
    }),
    defineTool({
      name: "tasks.complete",
      title: { en: "Complete a task", zh: "完成任务" },
      effect: "write",
      riskTier: "R1",
      inputSchema: completed,
      labels: labelsOf(completed),
      confirmPrompt: ({ done }: { done: boolean }, locale: Locale) => completePrompt(done, locale),
      preview: ({ taskId, done }, { workspaceId }) => touched(taskId, workspaceId, "update", { done }),
      rollback: {
        note: { en: "It can be opened again.", zh: "可以重新打开。" },
        call: ({ taskId, done }) => ({ tool: "tasks.complete", args: { taskId, done: !done } }),
      },
      ...stored(household, ({ taskId, done }: { taskId: string; done: boolean }, { workspaceId }) => ({
        task: todos.update(workspaceId, taskId, { done }).after,
      })),
    }),
    defineTool({
      name: "tasks.assign",
      title: { en: "Assign a task", zh: "分配任务" },
      effect: "write",
      riskTier: "R1",
      inputSchema: assigned,
      labels: labelsOf(assigned),
      confirmPrompt: {
        en: "Assign the task {taskId} to {assignedToUserId}?",
        zh: "将任务 {taskId} 分配给 {assignedToUserId}？",
      },
      preview: async ({ taskId, assignedToUserId }, { workspaceId }) => {
        await memberOf(workspaceId, assignedToUserId);
        return touched(taskId, workspaceId, "update", { assignedToUserId });
      },
      rollback: { note: { en: "It can be assigned to somebody else.", zh: "可以重新分配。" } },
      ...forMember(({ taskId, assignedToUserId }: { taskId: string; assignedToUserId: string }, { workspaceId }) => ({
        task: todos.update(workspaceId, taskId, { assignedToUserId }).after,
      })),
    }),
    defineTool({
      name: "tasks.delete",
      title: { en: "Delete a task", zh: "删除任务" },
      effect: "write",
      destructive: true,
      inputSchema: oneTask,
      labels: labelsOf(oneTask),
      confirmPrompt: { en: "This task will be permanently deleted.", zh: "此任务将被永久删除。" },
      preview: ({ taskId }, { workspaceId }) => touched(taskId, workspaceId, "delete"),
      ...stored(household, ({ taskId }: { taskId: string }, { workspaceId }) => {
        const task = todos.get(workspaceId, taskId);
        todos.delete(workspaceId, [taskId]);
        return { task };
      }),
    }),
  ];
}

const NOUN = { en: "task", zh: "任务" };

function describeTask(task: z.infer<typeof newTask>, locale: Locale): string {
  const due = task.dueAt === undefined ? undefined : dueText(task.dueAt);
  if (locale === "zh") {
    return `将创建任务：“${task.title}”，优先级${PRIORITIES_ZH[task.priority]}${due === undefined ? "" : `，截止 ${due}`}。`;
  }
  return `I'll create a task: "${task.title}" with ${task.priority} priority${due === undefined ? "" : `, due ${due}`}.`;
}

/** `2026-02-06`, or `2026-02-06 07:00 UTC`. */
export function dueText(due: string): string {
  return due.length === 10 ? due : `${new Date(due).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function completePrompt(done: boolean, locale: Locale): string {
  if (locale === "zh") return done ? "将此任务标记为完成？" : "重新打开此任务？";
  return done ? "Mark this task as done?" : "Open this task again?";
}
