import { type AnyTool, defineCommand, success } from "countersign";
import { z } from "zod";
import type { Household } from "../household/household.js";
import type { NamedThings } from "../household/named.js";
import type { Notes } from "../household/notes.js";
import { labelsOf } from "./labels.js";
import { id, oneId, title } from "./schemas.js";
import { defined, digestOf, makesOne, storedCommand, TAKEN_BACK } from "./stored.js";

const body = z.string().max(100_000);
const newNote = z.object({ title, body: body.default(""), folderId: id.optional() }).strict();
const changes = z.object({ id, title: title.optional(), body: body.optional() }).strict();
const NOUN = { en: "note", zh: "笔记" };

export function noteCommands(household: Household, notes: Notes, folders: NamedThings): readonly AnyTool[] {
  return [
    defineCommand({
      name: "note-list",
      title: { en: "Show notes", zh: "查看笔记" },
      mutation: false,
      input: z.object({ folderId: id.optional() }).strict(),
      handler: ({ folderId }, { workspaceId }) => success({ notes: notes.list(workspaceId, folderId) }),
    }),
    defineCommand({
      name: "note-create",
      title: { en: "Write a note", zh: "写笔记" },
      mutation: true,
      riskTier: "R1",
      input: newNote,
      labels: labelsOf(newNote),
      confirmPrompt: { en: "Write the note {title}?", zh: "记下笔记 {title}？" },
      preview: ({ title: called }) => makesOne(NOUN, called),
      rollback: TAKEN_BACK,
      ...storedCommand(household, (note: z.infer<typeof newNote>, { workspaceId, userId }) => {
        if (note.folderId !== undefined) folders.get(workspaceId, note.folderId);
        const made = notes.create(workspaceId, userId, note);
        return success({ note: made }, { undoCommand: "note-delete", undoArgs: { id: made.id } });
      }),
    }),
    defineCommand({
      name: "note-update",
      title: { en: "Change a note", zh: "更改笔记" },
      mutation: true,
      riskTier: "R1",
      input: changes,
      labels: labelsOf(changes),
      confirmPrompt: { en: "Change the note {id}?", zh: "更改笔记 {id}？" },
      rollback: TAKEN_BACK,
      preview: ({ id: noteId, ...patch }, { workspaceId }) => {
        const { title: was, body: text, revision } = notes.get(workspaceId, noteId);
        const effect = {
          kind: "update",
          noun: NOUN,
          count: 1,
          before: { title: was, body: text },
          after: defined(patch),
        };
        return { effects: [effect], digest: digestOf(noteId, revision) };
      },
      ...storedCommand(household, ({ id: noteId, ...patch }: z.infer<typeof changes>, { workspaceId }) => {
        const { before, after } = notes.update(workspaceId, noteId, patch);
        const undoArgs = { id: noteId, title: before.title, body: before.body };
        return success({ note: after }, { undoCommand: "note-update", undoArgs });
      }),
    }),
    defineCommand({
      name: "note-delete",
      title: { en: "Delete a note", zh: "删除笔记" },
      destructive: true,
      tags: ["destructive"],
      input: oneId,
      labels: labelsOf(oneId),
      confirmPrompt: { en: "This note will be permanently deleted.", zh: "此笔记将被永久删除。" },
      preview: ({ id: noteId }, { workspaceId }) => {
        const note = notes.get(workspaceId, noteId);
        return {
          effects: [{ kind: "delete", noun: NOUN, count: 1, sample: [note.title] }],
          digest: digestOf(noteId, note.revision),
        };
      },
      ...storedCommand(household, ({ id: noteId }: { id: string }, { workspaceId }) => {
        const note = notes.get(workspaceId, noteId);
        notes.delete(workspaceId, [noteId]);
        return success({ deleted: 1, title: note.title });
      }),
    }),
  ];
}
