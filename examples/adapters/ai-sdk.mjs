// An AI SDK app whose tools pass the gate. The model is a scripted one; with a real one nothing else changes.
import assert from "node:assert/strict";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createGate, memoryStore } from "countersign";
import { gated } from "countersign/ai-sdk";
import { z } from "zod";
import { personAt } from "./person.mjs";

/** @type {string[]} */
const outbox = [];
const sendEmail = tool({
  description: "Sends an email.",
  inputSchema: z.object({ to: z.string(), text: z.string() }),
  execute: async ({ to, text }) => {
    outbox.push(`${to}: ${text}`);
    return `sent to ${to}`;
  },
});
const deleteFile = tool({
  description: "Deletes a file.",
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => `deleted ${path}`,
});

const gate = createGate({ store: memoryStore() });
const person = personAt(gate).approves("sendEmail").denies("deleteFile", "we still need it");

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const done = prompt.some(({ role }) => role === "tool");
    /** @type {"stop" | "tool-calls"} */
    const unified = done ? "stop" : "tool-calls";
    /** @type {import("@ai-sdk/provider").LanguageModelV3Content[]} */
    const calls = [
      { type: "tool-call", toolCallId: "1", toolName: "sendEmail", input: '{"to":"bo@example.com","text":"Hi"}' },
      { type: "tool-call", toolCallId: "2", toolName: "deleteFile", input: '{"path":"/tmp/report"}' },
    ];
    return {
      content: done ? [{ type: "text", text: "Done." }] : calls,
      finishReason: { unified, raw: unified },
      usage,
      warnings: [],
    };
  },
});

const { steps } = await generateText({
  model,
  tools: gated(gate, { sendEmail, deleteFile }),
  prompt: "Write to Bo, and clean up.",
  stopWhen: stepCountIs(5),
});

const [sent, deleted] = steps.flatMap((step) => step.toolResults.map(({ output }) => JSON.stringify(output)));
assert.deepEqual(outbox, ["bo@example.com: Hi"]);
assert.match(String(sent), /sent to bo@example.com/);
assert.match(String(deleted), /TOOL_DENIED.*we still need it/);
console.log("The email was sent once, and the file is still there.");
await person.stop();
await gate.close();
