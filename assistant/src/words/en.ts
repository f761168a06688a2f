import { bullets, listed } from "./bullets.js";
import type { Words } from "./words.js";

const quote = (text: unknown): string => `"${String(text)}"`;
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

export const en: Words = {
  help: 'I look after tasks, lists, notes, the calendar, mail, files and data. Try "create a task: call mom tomorrow", "show my tasks" or "what\'s on my calendar".',
  howToConfirm: 'Please confirm to proceed, or say "cancel" to abort.',
  whichTitle: "What should the task say?",
  whichTask: (titles) => `Which one do you mean?\n${titles.map((title, index) => `${index + 1}. ${title}`).join("\n")}`,
  noSuchTask: (words) => (words === "" ? "Which task do you mean?" : `I found no open task ${quote(words)}.`),
  whoIsThat: (name, known) => `I do not know ${quote(name)}. I know ${known.join(", ")}.`,
  nothingToDelete: "There is nothing to delete.",
  when: "When is it? A day and a time, please.",
  toWhom: "To which address?",
  noSuch: (noun, name) => `I found no ${noun} ${quote(name)}.`,
  questionAboutTasks: "Nothing was changed. These are the open tasks:",
  noAnswer: "I cannot answer that, and I have changed nothing.",
  refused: "All right, nothing was done.",
  refusedBoth: "You asked for something and said no as well, so nothing was done. Tell me again what you want.",
  nothingWaits: "Nothing is waiting for your answer here.",
  cancelled: (descriptions) => `Cancelled:\n${bullets(descriptions)}`,
  waiting: (descriptions) =>
    `This still waits for your answer:\n${bullets(descriptions)}\nConfirm it on its own card, or say "cancel".`,
  notPlainYes: "Your message says more than yes, so what was waiting has not been run.",
  notConnected:
    "This chat account is not connected to anybody here. Connect it in Settings of the web app, then write again.",
  changedSince: "What this would do has changed since you were asked, so it was not run. Please look again.",
  expired: (description) => `Nobody answered in time: ${description}`,
  denied: (description, reason) => `Not done, somebody said no (${reason}): ${description}`,
  withdrawn: (description) => `Withdrawn: ${description}`,
  failed: (tool, why) => `❌ ${tool} did not work: ${why}`,
  unknown: (tool) => `⚠️ ${tool} was started, and nobody can tell yet whether it finished. Do not repeat it.`,
  stillWaits: "It waits for an answer.",
  needsMoreProof: "This needs a stronger proof that it is you. Open it in the inbox and confirm there.",
  needsOthers: "Your yes counts; somebody else has to approve it too.",
  tooManyPending: "Too many questions are open. Answer or cancel some of them first.",
  notUnderstoodArgs: "I did not get that right, so I have not tried it. Please say it in other words.",
  wentWrong: "Something went wrong here, and nothing was done.",
  done: {
    "tasks.create": ({ result }) => `✅ Created task: ${quote(result.task.title)}`,
    "tasks.list": ({ result, when }) =>
      listed(
        result.tasks.map(
          (task: { title: string; dueAt?: string }) => `${task.title}${task.dueAt ? ` (due ${when(task.dueAt)})` : ""}`,
        ),
        "There are no tasks.",
      ),
    "tasks.complete": ({ args, result }) =>
      args.done === false
        ? `✅ Opened again: ${quote(result.task.title)}`
        : `✅ Completed task: ${quote(result.task.title)}`,
    "tasks.assign": ({ result }) => `✅ Assigned ${quote(result.task.title)} to ${result.assignedToName}`,
    "tasks.update": ({ result, when }) =>
      `✅ Changed task: ${quote(result.task.title)}${result.task.dueAt ? `, due ${when(result.task.dueAt)}` : ""}`,
    "tasks.delete": ({ result }) => `✅ Deleted task: ${quote(result.task.title)}`,
    "todo.clear": ({ result }) => `✅ Deleted ${count(result.data.deleted, "todo")}`,
    "todo.delete-batch": ({ result }) => `✅ Deleted ${count(result.data.deleted, "todo")}`,
    "todo.create": ({ result }) => `✅ Added ${quote(result.data.todo.title)}`,
    "list.create": ({ result }) => `✅ Created list: ${quote(result.data.list.name)}`,
    "list.delete": ({ result }) =>
      `✅ Deleted the list ${quote(result.data.list.name)} and ${count(result.data.deletedTodos, "todo")}`,
    "list.list": ({ result }) =>
      listed(
        result.data.lists.map(
          (list: { name: string; todos: { title: string }[] }) =>
            `${list.name}: ${list.todos.map((todo) => todo.title).join(", ") || "empty"}`,
        ),
        "There are no lists.",
      ),
    "note.create": ({ result }) => `✅ Noted: ${quote(result.data.note.title)}`,
    "note.list": ({ result }) =>
      listed(
        result.data.notes.map((note: { title: string }) => note.title),
        "There are no notes.",
      ),
    "note.delete": ({ result }) => `✅ Deleted the note ${quote(result.data.title)}`,
    "notefolder.create": ({ result }) => `✅ Created folder: ${quote(result.data.folder.name)}`,
    "notefolder.delete": ({ result }) =>
      `✅ Deleted the folder ${quote(result.data.folder.name)} and ${count(result.data.deletedNotes, "note")}`,
    "calendar.create": ({ result, when }) =>
      `✅ Created event: ${quote(result.event.summary)}, ${when(result.event.start)}`,
    "calendar.delete": ({ result }) => `✅ Deleted event: ${quote(result.event.summary)}`,
    "calendar.list": ({ result, when }) =>
      listed(
        result.events.map((event: { start: string; summary: string }) => `${when(event.start)} ${event.summary}`),
        "Nothing is planned.",
      ),
    "email.send": ({ args }) => `✅ Sent ${quote(args.subject)} to ${args.to.join(", ")}`,
    "email.read": ({ result }) =>
      listed(
        result.mails.map((mail: { from: string; subject: string }) => `${mail.from}: ${mail.subject}`),
        "There is no mail.",
      ),
    "files.list": ({ result }) => listed(result.files, "There are no files."),
    "files.read": ({ result }) => result.content,
    "files.create": ({ args }) => `✅ Created ${args.path}`,
    "files.update": ({ args }) => `✅ Overwrote ${args.path}; the earlier version is in the trash`,
    "files.delete": ({ args, result }) => `✅ Moved ${args.path} to the trash (${result.trashId})`,
    "files.restore": ({ result }) => `✅ Restored ${result.path}`,
    "data.query": ({ result }) =>
      listed(
        result.rows.slice(0, 20).map((row: object) => JSON.stringify(row)),
        "No rows.",
      ),
    "data.modify": ({ result }) => `✅ Changed ${count(result.rows, "row")}`,
    "web.search": ({ result }) =>
      listed(
        result.results.map((found: { title: string; url: string }) => `${found.title}: ${found.url}`),
        "Nothing was found.",
      ),
    "web.fetch": ({ result }) => result.text.slice(0, 2_000),
    "web.transcript": ({ result }) => result.text.slice(0, 2_000),
  },
  doneOtherwise: (tool) => `✅ ${tool} is done`,
};
