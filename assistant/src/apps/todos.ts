import { type AnyTool, defineCommand, failure, type Locale, type PreviewContext, success } from "countersign";
import { z } from "zod";
import type { Household } from "../household/household.js";
import type { Todo, Todos } from "../household/todos.js";
import { labelsOf } from "./labels.js";
import { dueAt, id, oneId, priority, title } from "./schemas.js";
import { changesOne, digestOf, makesOne, storedCommand, TAKEN_BACK } from "./stored.js";

const newTodo = z
  .object({ title, priority: priority.default("medium"), dueAt: dueAt.optional(), listId: id.optional() })
  .strict();
const patch = z
  .object({ id, title: title.optional(), priority: priority.optional(), done: z.boolean().optional() })
  .strict();
const clear = z.object({ all: z.boolean().default(false) }).strict();
const batch = z.object({ ids: z.array(id).min(1).max(100) }).strict();
const NOUN = { en: "todo", zh: "待办" };
/** What all that delete have in common. */
const deleting = { destructive: true, tags: ["destructive"] };

/** The todo commands. The prompts of those that delete say what they do with the arguments they were given. */
export function todoCommands(household: Household, todos: Todos): readonly AnyTool[] {
  const deletes = (found: readonly Todo[]) => ({
    effects: [{ kind: "delete", noun: NOUN, count: found.length, sample: found.slice(0, 3).map((todo) => todo.title) }],
    digest: digestOf(found.map((todo) => [todo.id, todo.revision])),
  });
  const cleared = (all: boolean, workspaceId: string) => todos.list(workspaceId, { status: all ? "all" : "done" });
  const named = (ids: readonly string[], { workspaceId }: Pick<PreviewContext, "workspaceId">) =>
    ids.flatMap((each) => todos.find(workspaceId, each) ?? []);

  return [
    defineCommand({
      name: "todo-list",
      title: { en: "List todos", zh: "列出待办" },
      mutation: false,
      input: z.object({ status: z.enum(["open", "done", "all"]).default("all"), listId: id.optional() }).strict(),
      handler: (filter, { workspaceId }) => success({ todos: todos.list(workspaceId, filter) }),
    }),
    defineCommand({
      name: "todo-create",
      title: { en: "Create a todo", zh: "新建待办" },
      mutation: true,
      riskTier: "R1",
      input: newTodo,
      labels: labelsOf(newTodo),
      confirmPrompt: { en: "Create the todo {title}?", zh: "创建待办 {title}？" },
      preview: (todo) => makesOne(NOUN, todo.title),
      rollback: TAKEN_BACK,
      ...storedCommand(household, (todo: z.infer<typeof newTodo>, { workspaceId, userId }) => {
        const made = todos.create(workspaceId, userId, todo);
        return success({ todo: made }, { undoCommand: "todo-delete", undoArgs: { id: made.id } });
      }),
    }),
    defineCommand({
      name: "todo-update",
      title: { en: "Change a todo", zh: "更改待办" },
      mutation: true,
      riskTier: "R1",
      input: patch,
      labels: labelsOf(patch),
      confirmPrompt: { en: "Change the todo {id}?", zh: "更改待办 {id}？" },
      preview: ({ id: todoId, ...changes }, { workspaceId }) => {
        const found = todos.find(workspaceId, todoId);
        const before = found && { title: found.title, priority: found.priority, done: found.done };
        return changesOne(NOUN, before, changes);
      },
      rollback: TAKEN_BACK,
      ...storedCommand(household, ({ id: todoId, ...changes }: z.infer<typeof patch>, { workspaceId }) => {
        if (todos.find(workspaceId, todoId) === undefined) return missing(todoId);
        const { before, after } = todos.update(workspaceId, todoId, changes);
        const undoArgs = { id: todoId, title: before.title, priority: before.priority, done: before.done };
        return success({ todo: after }, { undoCommand: "todo-update", undoArgs });
      }),
    }),
    defineCommand({
      ...deleting,
      name: "todo-delete",
      title: { en: "Delete a todo", zh: "删除待办" },
      input: oneId,
      labels: labelsOf(oneId),
      confirmPrompt: { en: "This todo will be permanently deleted.", zh: "此待办将被永久删除。" },
      preview: ({ id: todoId }, context) => deletes(named([todoId], context)),
      ...storedCommand(household, ({ id: todoId }: { id: string }, { workspaceId }) =>
        todos.delete(workspaceId, [todoId]) === 1 ? success({ deleted: 1 }) : missing(todoId),
      ),
    }),
    defineCommand({
      ...deleting,
      name: "todo-clear",
      title: { en: "Clear todos", zh: "清空待办" },
      input: clear,
      labels: labelsOf(clear),
      // `all` decides how far it reaches, so it decides what the question says.
      confirmPrompt: ({ all }: z.infer<typeof clear>, locale: Locale) => clearPrompt(all, locale),
      preview: ({ all }, { workspaceId }) => deletes(cleared(all, workspaceId)),
      ...storedCommand(household, ({ all }: z.infer<typeof clear>, { workspaceId }) => {
        const ids = cleared(all, workspaceId).map((todo) => todo.id);
        return success({ deleted: todos.delete(workspaceId, ids) });
      }),
    }),
    defineCommand({
      ...deleting,
      name: "todo-delete-batch",
      title: { en: "Delete several todos", zh: "删除多项待办" },
      input: batch,
      labels: labelsOf(batch),
      confirmPrompt: { en: "These todos will be permanently deleted.", zh: "这些待办将被永久删除。" },
      preview: ({ ids }, context) => deletes(named(ids, context)),
      ...storedCommand(household, ({ ids }: z.infer<typeof batch>, { workspaceId }) => {
        const deleted = todos.delete(workspaceId, ids);
        const gone = ids.length - deleted;
        return success(
          { deleted },
          gone === 0
            ? {}
            : { warnings: [{ code: "NOT_FOUND", message: `${gone} of them did not exist.`, severity: "warning" }] },
        );
      }),
    }),
  ];
}

function clearPrompt(all: boolean, locale: Locale): string {
  if (locale === "zh") return all ? "全部待办（包括未完成的）将被永久删除。" : "所有已完成的待办将被永久删除。";
  return all
    ? "ALL todos, also those not completed, will be permanently deleted."
    : "All completed todos will be permanently deleted.";
}

function missing(todoId: string) {
  return failure({
    code: "NOT_FOUND",
    message: `There is no todo ${JSON.stringify(todoId)}.`,
    suggestion: "todo-list",
  });
}
