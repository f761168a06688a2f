// Six commands that delete, and a notebook they delete from. Each asks in words that say what it is about to do with the
// arguments it was given, not what it usually does.
import { defineCommand, failure, success } from "countersign";
import { z } from "zod";

/**
 * @typedef {object} Notebook
 * @property {Map<string, { list: string, done: boolean }>} todos
 * @property {Set<string>} lists
 * @property {Map<string, { folder: string }>} notes
 * @property {Set<string>} folders
 */

const oneId = z.object({ id: z.string().min(1) });

/** What all six have in common. */
const deleting = { destructive: true, tags: ["irreversible"] };

/** @param {Notebook} notebook */
export function notebookCommands({ todos, lists, notes, folders }) {
  return [
    defineCommand({
      ...deleting,
      name: "todo-delete",
      title: "Delete a todo",
      description: "Deletes one todo",
      input: oneId,
      confirmPrompt: { en: "Delete the todo {id} for good?", zh: "永久删除待办 {id}？" },
      handler: ({ id }) => (todos.delete(id) ? success({ deleted: 1 }) : failure(`There is no todo ${id}.`)),
    }),
    defineCommand({
      ...deleting,
      name: "todo-clear",
      title: "Clear todos",
      description: "Deletes the completed todos, or all of them",
      input: z.object({ all: z.boolean().default(false) }),
      // `all` decides how far it reaches, so it decides what the question says
      confirmPrompt: ({ all }, locale) => {
        if (locale === "zh") return all ? "永久删除全部待办，包括未完成的？" : "永久删除所有已完成的待办？";
        return all ? "Delete ALL todos for good, also those not completed?" : "Delete every completed todo for good?";
      },
      preview: ({ all }) => ({ effects: [counted("todo", "待办", all ? [...todos.keys()] : completed(todos))] }),
      handler: ({ all }) => {
        const cleared = all ? [...todos.keys()] : completed(todos);
        for (const todo of cleared) todos.delete(todo);
        return success({ deleted: cleared.length });
      },
    }),
    defineCommand({
      ...deleting,
      name: "todo-delete-batch",
      title: "Delete several todos",
      description: "Deletes the todos it is given",
      input: z.object({ ids: z.array(z.string()).min(1) }),
      confirmPrompt: ({ ids }, locale) =>
        locale === "zh" ? `永久删除这 ${ids.length} 项待办？` : `Delete these ${ids.length} todos for good?`,
      preview: ({ ids }) => ({ effects: [counted("todo", "待办", ids)] }),
      handler: ({ ids }) => success({ deleted: ids.filter((todo) => todos.delete(todo)).length }),
    }),
    defineCommand({
      ...deleting,
      name: "list-delete",
      title: "Delete a list",
      description: "Deletes a list with the todos in it",
      input: oneId,
      confirmPrompt: {
        en: "Delete the list {id} and every todo in it for good?",
        zh: "永久删除列表 {id} 及其中的所有待办？",
      },
      preview: ({ id }) => ({
        effects: [
          counted("list", "列表", [id]),
          counted(
            "todo",
            "待办",
            within(todos, (todo) => todo.list === id),
          ),
        ],
      }),
      handler: ({ id }) => {
        for (const todo of within(todos, ({ list }) => list === id)) todos.delete(todo);
        return lists.delete(id) ? success({ deleted: id }) : failure(`There is no list ${id}.`);
      },
    }),
    defineCommand({
      ...deleting,
      name: "note-delete",
      title: "Delete a note",
      description: "Deletes one note",
      input: oneId,
      confirmPrompt: { en: "Delete the note {id} for good?", zh: "永久删除笔记 {id}？" },
      handler: ({ id }) => (notes.delete(id) ? success({ deleted: 1 }) : failure(`There is no note ${id}.`)),
    }),
    defineCommand({
      ...deleting,
      name: "notefolder-delete",
      title: "Delete a folder",
      description: "Deletes a folder with the notes in it",
      input: oneId,
      confirmPrompt: {
        en: "Delete the folder {id} and every note in it for good?",
        zh: "永久删除文件夹 {id} 及其中的所有笔记？",
      },
      preview: ({ id }) => ({
        effects: [
          counted("folder", "文件夹", [id]),
          counted(
            "note",
            "笔记",
            within(notes, (note) => note.folder === id),
          ),
        ],
      }),
      handler: ({ id }) => {
        for (const note of within(notes, ({ folder }) => folder === id)) notes.delete(note);
        return folders.delete(id) ? success({ deleted: id }) : failure(`There is no folder ${id}.`);
      },
    }),
  ];
}

/** @param {string} en @param {string} zh @param {readonly string[]} ids */
function counted(en, zh, ids) {
  return { kind: "delete", noun: { en, zh }, count: ids.length, sample: ids.slice(0, 3) };
}

/** @param {Notebook["todos"]} todos */
function completed(todos) {
  return within(todos, (todo) => todo.done);
}

/**
 * @template Item
 * @param {Map<string, Item>} items
 * @param {(item: Item) => boolean} belongs
 */
function within(items, belongs) {
  return [...items].filter(([, item]) => belongs(item)).map(([id]) => id);
}
