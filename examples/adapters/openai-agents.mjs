// An OpenAI Agents run whose tools pass the gate. The model is a scripted one; with a real one nothing else changes.
import assert from "node:assert/strict";
import { Agent, Runner, tool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { createGate, memoryStore } from "countersign";
import { gated } from "countersign/openai-agents";
import { z } from "zod";
import { personAt } from "./person.mjs";

let refunds = 0;
const refund = tool({
  name: "refund",
  description: "Pays money back.",
  parameters: z.object({ order: z.string(), amount: z.number() }),
  execute: async ({ order, amount }) => {
    refunds += 1;
    return `paid ${amount} for ${order}`;
  },
});

const gate = createGate({ store: memoryStore() });
const person = personAt(gate).approves("refund");

const model = new ScriptedModel([
  [functionCall("refund", { order: "A7", amount: 120 }, { callId: "1" })],
  [assistantMessage("Done.")],
]);
const agent = new Agent({ name: "Support", model, tools: gated(gate, [refund]) });
await new Runner({ tracingDisabled: true }).run(agent, "Refund order A7.");

assert.equal(refunds, 1);
assert.match(JSON.stringify(model.lastCall?.request.input), /paid 120 for A7/);
console.log("The refund was paid once, after a person had said yes.");
await person.stop();
await gate.close();
