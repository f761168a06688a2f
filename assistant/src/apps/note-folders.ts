import { type AnyTool, defineCommand, failure, success } from "countersign";
import { z } from "zod";
import type { Household } from "../household/household.js";
import type { NamedThings } from "../household/named.js";
import type { Notes } from "../household/notes.js";
import { labelsOf } from "./labels.js";
import { id, oneId, title } from "./schemas.js";
import { changesOne, digestOf, makesOne, storedCommand, TAKEN_BACK } from "./stored.js";

const named = z.object({ name: title }).strict();
const renamed = z.object({ id, name: title }).strict();
const NOUN = { en: "folder", zh: "文件夹" };

export function noteFolderCommands(household: Household, folders: NamedThings, notes: Notes): readonly AnyTool[] {
  return [
    defineCommand({
      name: "notefolder-list",
      title: { en: "Show folders", zh: "查看文件夹" },
      mutation: false,
      input: z.object({}).strict(),
      handler: (_args, { workspaceId }) => success({ folders: folders.all(workspaceId) }),
    }),
    defineCommand({
      name: "notefolder-create",
      title: { en: "Create a folder", zh: "新建文件夹" },
      mutation: true,
      riskTier: "R1",
      input: named,
      labels: labelsOf(named),
      confirmPrompt: { en: "Create the folder {name}?", zh: "创建文件夹 {name}？" },
      preview: ({ name }) => makesOne(NOUN, name),
      rollback: TAKEN_BACK,
      ...storedCommand(household, ({ name }: z.infer<typeof named>, { workspaceId }) => {
        if (folders.byName(workspaceId, name) !== undefined) {
          return failure({ code: "CONFLICT", message: `There is already a folder ${JSON.stringify(name)}.` });
        }
        const folder = folders.create(workspaceId, name);
        return success({ folder }, { undoCommand: "notefolder-delete", undoArgs: { id: folder.id } });
      }),
    }),
    defineCommand({
      name: "notefolder-update",
      title: { en: "Rename a folder", zh: "重命名文件夹" },
      mutation: true,
      riskTier: "R1",
      input: renamed,
      labels: labelsOf(renamed),
      confirmPrompt: { en: "Rename the folder {id} to {name}?", zh: "将文件夹 {id} 改名为 {name}？" },
      preview: ({ id: folderId, name }, { workspaceId }) =>
        changesOne(NOUN, folders.nameOf(workspaceId, folderId), { name }),
      rollback: TAKEN_BACK,
      ...storedCommand(household, ({ id: folderId, name }: z.infer<typeof renamed>, { workspaceId }) => {
        const { before, after } = folders.rename(workspaceId, folderId, name);
        return success(
          { folder: after },
          { undoCommand: "notefolder-update", undoArgs: { id: folderId, name: before.name } },
        );
      }),
    }),
    defineCommand({
      name: "notefolder-delete",
      title: { en: "Delete a folder", zh: "删除文件夹" },
      destructive: true,
      tags: ["destructive"],
      input: oneId,
      labels: labelsOf(oneId),
      confirmPrompt: {
        en: "This folder and all its notes will be permanently deleted.",
        zh: "此文件夹及其中的所有笔记将被永久删除。",
      },
      preview: ({ id: folderId }, { workspaceId }) => {
        const folder = folders.get(workspaceId, folderId);
        const found = notes.list(workspaceId, folderId);
        return {
          effects: [
            { kind: "delete", noun: NOUN, count: 1, sample: [folder.name] },
            {
              kind: "delete",
              noun: { en: "note", zh: "笔记" },
              count: found.length,
              sample: found.slice(0, 3).map((note) => note.title),
            },
          ],
          digest: digestOf(
            folder,
            found.map((note) => [note.id, note.revision]),
          ),
        };
      },
      ...storedCommand(household, ({ id: folderId }: { id: string }, { workspaceId }) => {
        const folder = folders.get(workspaceId, folderId);
        const deletedNotes = notes.delete(
          workspaceId,
          notes.list(workspaceId, folderId).map((note) => note.id),
        );
        folders.delete(workspaceId, folderId);
        return success({ folder, deletedNotes });
      }),
    }),
  ];
}
