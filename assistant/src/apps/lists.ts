import { type AnyTool, defineCommand, failure, success } from "countersign";
import { z } from "zod";
import type { Household } from "../household/household.js";
import type { NamedThings } from "../household/named.js";
import type { Todos } from "../household/todos.js";
import { labelsOf } from "./labels.js";
import { id, oneId, title } from "./schemas.js";
import { changesOne, digestOf, makesOne, storedCommand, TAKEN_BACK } from "./stored.js";

const named = z.object({ name: title }).strict();
const renamed = z.object({ id, name: title }).strict();
const NOUN = { en: "list", zh: "列表" };

export function listCommands(household: Household, lists: NamedThings, todos: Todos): readonly AnyTool[] {
  const todosIn = (workspaceId: string, listId: string) => todos.list(workspaceId, { status: "all", listId });
  return [
    defineCommand({
      name: "list-list",
      title: { en: "Show lists", zh: "查看清单" },
      mutation: false,
      input: z.object({}).strict(),
      handler: (_args, { workspaceId }) =>
        success({ lists: lists.all(workspaceId).map((list) => ({ ...list, todos: todosIn(workspaceId, list.id) })) }),
    }),
    defineCommand({
      name: "list-create",
      title: { en: "Create a list", zh: "新建清单" },
      mutation: true,
      riskTier: "R1",
      input: named,
      labels: labelsOf(named),
      confirmPrompt: { en: "Create the list {name}?", zh: "创建列表 {name}？" },
      preview: ({ name }) => makesOne(NOUN, name),
      rollback: TAKEN_BACK,
      ...storedCommand(household, ({ name }: z.infer<typeof named>, { workspaceId }) => {
        if (lists.byName(workspaceId, name) !== undefined) return taken(name);
        const list = lists.create(workspaceId, name);
        return success({ list }, { undoCommand: "list-delete", undoArgs: { id: list.id } });
      }),
    }),
    defineCommand({
      name: "list-update",
      title: { en: "Rename a list", zh: "重命名清单" },
      mutation: true,
      riskTier: "R1",
      input: renamed,
      labels: labelsOf(renamed),
      confirmPrompt: { en: "Rename the list {id} to {name}?", zh: "将列表 {id} 改名为 {name}？" },
      preview: ({ id: listId, name }, { workspaceId }) => changesOne(NOUN, lists.nameOf(workspaceId, listId), { name }),
      rollback: TAKEN_BACK,
      ...storedCommand(household, ({ id: listId, name }: z.infer<typeof renamed>, { workspaceId }) => {
        const { before, after } = lists.rename(workspaceId, listId, name);
        return success({ list: after }, { undoCommand: "list-update", undoArgs: { id: listId, name: before.name } });
      }),
    }),
    defineCommand({
      name: "list-delete",
      title: { en: "Delete a list", zh: "删除清单" },
      destructive: true,
      tags: ["destructive"],
      input: oneId,
      labels: labelsOf(oneId),
      confirmPrompt: {
        en: "This list and all its todos will be permanently deleted.",
        zh: "此列表及其中的所有待办将被永久删除。",
      },
      preview: ({ id: listId }, { workspaceId }) => {
        const list = lists.get(workspaceId, listId);
        const found = todosIn(workspaceId, listId);
        return {
          effects: [
            { kind: "delete", noun: NOUN, count: 1, sample: [list.name] },
            {
              kind: "delete",
              noun: { en: "todo", zh: "待办" },
              count: found.length,
              sample: found.slice(0, 3).map((todo) => todo.title),
            },
          ],
          digest: digestOf(
            list,
            found.map((todo) => [todo.id, todo.revision]),
          ),
        };
      },
      ...storedCommand(household, ({ id: listId }: { id: string }, { workspaceId }) => {
        const list = lists.get(workspaceId, listId);
        const deletedTodos = todos.delete(
          workspaceId,
          todosIn(workspaceId, listId).map((todo) => todo.id),
        );
        lists.delete(workspaceId, listId);
        return success({ list, deletedTodos });
      }),
    }),
  ];
}

function taken(name: string) {
  return failure({ code: "CONFLICT", message: `There is already a list ${JSON.stringify(name)}.` });
}
