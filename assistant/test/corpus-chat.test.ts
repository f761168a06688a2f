import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ChatResponse } from "../src/index.js";
import { newTalk, type Talk } from "./chat-world.js";
import { PERSON } from "./world.js";

type Label = "create" | "complete" | "assign" | "delete" | "question" | "refusal" | "chatter";

const READS = new Set([
  "tasks.list",
  "calendar.list",
  "note.list",
  "list.list",
  "email.read",
  "files.list",
  "data.query",
]);
const corpus = ["english", "chinese"].map(
  (language) =>
    JSON.parse(readFileSync(new URL(`../src/language/data/${language}.json`, import.meta.url), "utf8")) as Record<
      Label,
      string[]
    >,
);

/** Everything the corpus speaks of exists, so that nothing fails to happen only because it is not there. */
function furnished(): Talk {
  const talk = newTalk();
  for (const title of ["buy milk", "call mom", "laundry", "walk the dog", "买牛奶", "洗衣服", "护照"]) {
    talk.assistant.apps.todos.create("home", "ann", { title });
  }
  return talk;
}

function wrote({ actions }: ChatResponse): boolean {
  return actions.some(({ tool }) => !READS.has(tool));
}

async function sayAll(label: Label): Promise<readonly { readonly text: string; readonly response: ChatResponse }[]> {
  const talk = furnished();
  const said = [];
  for (const [index, text] of corpus.flatMap((language) => language[label]).entries()) {
    const response = await talk.say(text, { conversationId: `c${index}` });
    said.push({ text, response });
    // Questions that are open would soon be too many; they are put and taken back.
    await talk.say("cancel", { conversationId: `c${index}` });
  }
  return said;
}

describe("the whole chat on the corpus (flaw F-A3)", () => {
  it("turns no refusal into a write or a pending one", async () => {
    const bad = (await sayAll("refusal")).filter(
      ({ response }) => wrote(response) || response.requiresConfirmation === true,
    );
    expect(bad.map(({ text }) => text)).toEqual([]);
  });

  it("executes nothing for a question", async () => {
    const bad = (await sayAll("question")).filter(
      ({ response }) => wrote(response) || response.requiresConfirmation === true,
    );
    expect(bad.map(({ text }) => text)).toEqual([]);
  });

  it("executes no delete unasked", async () => {
    const said = await sayAll("delete");
    expect(said.filter(({ response }) => wrote(response)).map(({ text }) => text)).toEqual([]);
    expect(said.filter(({ response }) => response.requiresConfirmation === true).length).toBeGreaterThan(20);
  });

  it("executes nothing for chatter", async () => {
    expect((await sayAll("chatter")).filter(({ response }) => wrote(response)).map(({ text }) => text)).toEqual([]);
  });

  it("holds or executes the creates, and nothing else for them", async () => {
    const talk = furnished();
    for (const [index, text] of corpus.flatMap((language) => language.create).entries()) {
      const response = await talk.say(text, { conversationId: `c${index}` });
      const tools = [...response.actions.map(({ tool }) => tool), response.pendingAction?.toolName].filter(Boolean);
      expect([text, tools]).toEqual([text, ["tasks.create"]]);
      await talk.say("cancel", { conversationId: `c${index}` });
    }
    expect(await talk.assistant.gate.pending(PERSON)).toEqual([]);
  });
});
