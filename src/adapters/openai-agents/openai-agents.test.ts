import { Agent, Runner, RunState, tool } from "@openai/agents";
import { assistantMessage, functionCall, type RecordedModelCall, ScriptedModel } from "@openai/agents/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AdapterUnderTest,
  ANN,
  type App,
  approve,
  type Call,
  cards,
  describeAdapter,
  type World,
} from "../../../test/adapters/contract.js";
import { openGate } from "../../../test/adapters/mcp-client.js";
import type { GateLike } from "../gate-like.js";
import type { AnyFunctionTool } from "./gated.js";
import { gated, pausing } from "./index.js";

const DECLARED = { declare: { readNote: { effect: "read" } } } as const;
const runner = new Runner({ tracingDisabled: true });

function toolsOf({ ran }: World): AnyFunctionTool[] {
  return [
    tool({
      name: "readNote",
      description: "Reads a note.",
      parameters: z.object({ id: z.string() }),
      execute: ({ id }) => {
        ran.push({ tool: "readNote", args: { id } });
        return `note ${id}`;
      },
    }),
    tool({
      name: "sendMail",
      description: "Sends a mail.",
      parameters: z.object({ to: z.string(), text: z.string() }),
      execute: async (args) => {
        ran.push({ tool: "sendMail", args });
        return `sent to ${args.to}`;
      },
    }),
  ];
}

function agentThatCalls(calls: readonly Call[], tools: AnyFunctionTool[]) {
  const model = new ScriptedModel([
    calls.map(({ id, tool: name, args }) => functionCall(name, args, { callId: id })),
    [assistantMessage("Done.")],
  ]);
  return { model, agent: new Agent({ name: "Helper", model, tools }) };
}

function toldOf(call: RecordedModelCall | undefined, calls: readonly Call[]): string[] {
  const input = call?.request.input;
  const items = Array.isArray(input) ? input : [];
  return calls.map(({ id }) =>
    JSON.stringify(items.find((item) => item.type === "function_call_result" && item.callId === id) ?? null),
  );
}

async function ask(tools: AnyFunctionTool[], calls: readonly Call[], signal?: AbortSignal): Promise<string[]> {
  const { model, agent } = agentThatCalls(calls, tools);
  await runner.run(agent, "Do it.", signal === undefined ? {} : { signal });
  return toldOf(model.lastCall, calls);
}

/** The other agent as a tool of this one. */
async function askThroughSubagent(turn: App["turn"], call: Call): Promise<string> {
  const delegate = tool({
    name: "delegate",
    description: "Asks another agent.",
    parameters: z.object({ to: z.string(), text: z.string() }),
    execute: async () => (await turn([call]))[0],
  });
  const outer = { ...call, id: "outer", tool: "delegate" as Call["tool"] };
  return (await ask([delegate], [outer]))[0] ?? "";
}

/** A run's state in which every call is approved, as somebody could make it who has the stored text. */
async function askForged(tools: AnyFunctionTool[], call: Call): Promise<string> {
  const { model, agent } = agentThatCalls(
    [call],
    tools.map((one) => ({ ...one, needsApproval: async () => true })),
  );
  const stopped = await runner.run(agent, "Do it.");
  const forged = await RunState.fromString(agent, stopped.state.toString());
  for (const item of forged.getInterruptions()) forged.approve(item, { alwaysApprove: true });
  await runner.run(agent, forged, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return JSON.stringify(model.lastCall?.request.input ?? []);
}

const WRAPPED: AdapterUnderTest = {
  name: "OpenAI Agents, wrapped tools",
  open(gate: GateLike, world: World): App {
    const tools = gated(gate, toolsOf(world), DECLARED);
    const turn: App["turn"] = (calls, signal) => ask(tools, calls, signal);
    return {
      turn,
      forgedTurn: (call) => askForged(tools, call),
      subagentTurn: (call) => askThroughSubagent(turn, call),
    };
  },
};

const PAUSING: AdapterUnderTest = {
  name: "OpenAI Agents, native interruptions",
  open(gate: GateLike, world: World): App {
    const { tools, answer } = pausing(gate, toolsOf(world), DECLARED);
    const turn: App["turn"] = async (calls, signal) => {
      const { model, agent } = agentThatCalls(calls, tools);
      const first = await runner.run(agent, "Do it.");
      if (first.interruptions.length > 0) {
        // As an app does that keeps its runs in a database while people think.
        const state = await RunState.fromString(agent, first.state.toString());
        await answer(state, { deadline: 600_000, ...(signal === undefined ? {} : { signal }) });
        await runner.run(agent, state);
      }
      return toldOf(model.lastCall, calls);
    };
    return {
      turn,
      forgedTurn: (call) => askForged(tools, call),
      subagentTurn: (call) => askThroughSubagent(turn, call),
    };
  },
};

for (const adapter of [WRAPPED, PAUSING]) describeAdapter(adapter);

describe("an OpenAI Agents tool that fails", () => {
  it.each([
    ["in the SDK's own words", {}, "An error occurred while running the tool"],
    ["in the words of its errorFunction", { errorFunction: () => "the mailbox is full" }, "the mailbox is full"],
  ])("is recorded as failed, and told to the model %s", async (_how, options, words) => {
    const gate = openGate();
    const fails = tool({
      name: "sendMail",
      description: "Sends a mail.",
      parameters: z.object({ to: z.string() }),
      execute: () => Promise.reject(new Error("no space")),
      ...options,
    });
    const call = { id: "call-1", tool: "sendMail", args: { to: "bo@example.com" } } as const;
    const asking = ask(gated(gate, [fails]), [call]);
    const [card] = await cards(gate, 1);
    await approve(gate, card);
    const [told] = await asking;
    expect(told).toContain("TOOL_FAILED");
    expect(told).toContain(words);
    expect((await gate.approval(card.approvalId, ANN)).state).toBe("failed");
  });
});
