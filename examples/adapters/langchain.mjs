// A LangChain agent whose tools pass the gate. The model is a scripted one; with a real one nothing else changes.
import assert from "node:assert/strict";
import { createGate, memoryStore } from "countersign";
import { gated } from "countersign/langchain";
import { createAgent, FakeToolCallingModel, tool } from "langchain";
import { z } from "zod";
import { personAt } from "./person.mjs";

/** @type {string[]} */
const outbox = [];
const sendEmail = tool(
  async (/** @type {{ to: string, text: string }} */ { to, text }) => {
    outbox.push(`${to}: ${text}`);
    return `sent to ${to}`;
  },
  { name: "sendEmail", description: "Sends an email.", schema: z.object({ to: z.string(), text: z.string() }) },
);

const gate = createGate({ store: memoryStore() });
const person = personAt(gate).edits("sendEmail", (args) => ({ ...args, to: "team@example.com" }));

const args = { to: "everybody@example.com", text: "Hi" };
const model = new FakeToolCallingModel({ toolCalls: [[{ id: "1", name: "sendEmail", args }], []] });
const agent = createAgent({ model, tools: gated(gate, [sendEmail]) });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Tell everybody." }] });

const told = messages.find((message) => message.getType() === "tool");
assert.deepEqual(outbox, ["team@example.com: Hi"]);
assert.match(JSON.stringify(told?.content), /A person changed them/);
console.log("The email went to the team, and the model knows that a person changed that.");
await person.stop();
await gate.close();
