// node examples/commands/main.mjs: asks about each of the six commands, approves, and checks that what ran is what was asked.
import assert from "node:assert/strict";
import { createGate, lintTools, memoryStore } from "countersign";
import { notebookCommands } from "./commands.mjs";

/** @type {import("./commands.mjs").Notebook} */
const notebook = {
  todos: new Map([
    ["milk", { list: "home", done: true }],
    ["bread", { list: "home", done: true }],
    ["rent", { list: "home", done: false }],
    ["paint", { list: "work", done: false }],
    ["nails", { list: "work", done: false }],
    ["glue", { list: "work", done: false }],
  ]),
  lists: new Set(["home", "work"]),
  notes: new Map([
    ["idea", { folder: "drafts" }],
    ["plan", { folder: "drafts" }],
    ["poem", { folder: "verse" }],
  ]),
  folders: new Set(["drafts", "verse"]),
};
const gate = createGate({ store: memoryStore(), tools: notebookCommands(notebook) });
/** @type {import("countersign").Person} */
const person = { kind: "person", userId: "local", workspaceId: "local" };

/**
 * Submits a command, checks the question in both languages, and approves what was shown.
 * @param {string} command @param {object} args @param {{ en: string, zh: string, effects?: string[] }} asks
 */
async function run(command, args, asks) {
  const outcome = await gate.submit({ tool: command, args });
  assert(outcome.type === "pending", `${command} has to ask, but it was ${outcome.type}`);
  const { approvalId } = outcome;
  const [en, zh] = [await gate.card(approvalId, person, "en"), await gate.card(approvalId, person, "zh")];
  assert(en !== undefined && zh !== undefined);
  assert.deepEqual([en.humanSummary, zh.humanSummary, en.riskTier], [asks.en, asks.zh, "R4"]);
  assert.deepEqual(
    en.effects.map(({ text }) => String(text)),
    asks.effects ?? [],
  );
  console.log(`${command}: ${en.humanSummary}`);
  await gate.decide({ approvalId, decision: "approve", toolCallHash: en.toolCallHash, cardHash: en.cardHash }, person);
  const done = await gate.resume(approvalId, undefined, { deadline: 10_000 });
  assert.equal(done.type, "succeeded", done.message);
}

// Flags, tags, names and prompts agree, and what a frontend is told of a command survives JSON.
assert.deepEqual(lintTools(gate.registry.list()), []);
const metadata = gate.registry.listCommandsWithMetadata();
assert.deepEqual(JSON.parse(JSON.stringify(metadata)), metadata);
assert(
  metadata.length === 6 &&
    metadata.every(({ destructive, mutation, tags }) => destructive && mutation && tags.length === 1),
);

await run("todo-delete", { id: "glue" }, { en: "Delete the todo glue for good?", zh: "永久删除待办 glue？" });
await run(
  "todo-clear",
  {},
  {
    en: "Delete every completed todo for good?",
    zh: "永久删除所有已完成的待办？",
    effects: ["deletes 2 todos"],
  },
);
assert.deepEqual([...notebook.todos.keys()], ["rent", "paint", "nails"]);
await run(
  "todo-delete-batch",
  { ids: ["paint", "nails"] },
  {
    en: "Delete these 2 todos for good?",
    zh: "永久删除这 2 项待办？",
    effects: ["deletes 2 todos"],
  },
);
await run(
  "todo-clear",
  { all: true },
  {
    en: "Delete ALL todos for good, also those not completed?",
    zh: "永久删除全部待办，包括未完成的？",
    effects: ["deletes 1 todo"],
  },
);
assert.equal(notebook.todos.size, 0);
notebook.todos.set("tea", { list: "home", done: false });
await run(
  "list-delete",
  { id: "home" },
  {
    en: "Delete the list home and every todo in it for good?",
    zh: "永久删除列表 home 及其中的所有待办？",
    effects: ["deletes 1 list", "deletes 1 todo"],
  },
);
assert.deepEqual([notebook.todos.size, [...notebook.lists]], [0, ["work"]]);
await run("note-delete", { id: "poem" }, { en: "Delete the note poem for good?", zh: "永久删除笔记 poem？" });
await run(
  "notefolder-delete",
  { id: "drafts" },
  {
    en: "Delete the folder drafts and every note in it for good?",
    zh: "永久删除文件夹 drafts 及其中的所有笔记？",
    effects: ["deletes 1 folder", "deletes 2 notes"],
  },
);
assert.deepEqual([notebook.notes.size, [...notebook.folders]], [0, ["verse"]]);

const chain = await gate.verify();
assert.equal(chain.ok, true);
await gate.close();
console.log(`All six did what they asked about. ${chain.seq} entries, and the chain holds.`);
