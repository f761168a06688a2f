import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ANN, approve, cards, named } from "../../../test/adapters/contract.js";
import { openGate, promptClient } from "../../../test/adapters/mcp-client.js";
import { ROOT } from "../../../test/project/source-scan.js";
import { answerHook, type CanUseToolContext, canUseTool } from "./index.js";

/** What Claude Code really wrote, with paths and ids made neutral. */
interface Recording {
  readonly program: string;
  readonly hooks: readonly HookJson[];
  readonly promptToolCalls: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
  readonly canUseTool?: readonly {
    readonly toolName: string;
    readonly input: Record<string, unknown>;
    readonly options: Omit<CanUseToolContext, "signal">;
  }[];
}

interface HookJson {
  readonly hook_event_name: string;
  readonly tool_name: string;
  readonly tool_input: Record<string, unknown>;
  readonly agent_id?: string;
}

const FOLDER = join(ROOT, "test", "adapters", "recorded");
const RECORDINGS = readdirSync(FOLDER).map((file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Recording);

describe.each(RECORDINGS)("what $program wrote", ({ hooks, promptToolCalls }) => {
  const ofEvent = (event: string, tool: string) =>
    hooks.find(({ hook_event_name, tool_name, agent_id }) => {
      return hook_event_name === event && tool_name === tool && agent_id === undefined;
    });

  it("asks about a write before it runs, and hands over what a person changed", async () => {
    const gate = openGate();
    const json = ofEvent("PreToolUse", "Write");
    const answer = answerHook(json, gate);
    const [card] = await cards(gate, 1);
    expect(card.toolCallCanonical).toContain("/project/note.txt");
    const args = { ...json?.tool_input, content: "bye" };
    await gate.decide({ ...named(card), decision: "approve", args }, ANN);
    expect(await answer).toMatchObject({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: args },
    });
  });

  it("lets what only looks pass, has no opinion after the fact, and asks about other servers' tools", async () => {
    const gate = openGate();
    const allowed = { hookSpecificOutput: { permissionDecision: "allow" } };
    expect(await answerHook(ofEvent("PreToolUse", "Read"), gate)).toMatchObject(allowed);
    expect(await answerHook(ofEvent("PreToolUse", "Agent"), gate)).toMatchObject(allowed);
    expect(await answerHook(ofEvent("PostToolUse", "Read"), gate)).toEqual({});
    const told = await answerHook(ofEvent("PreToolUse", "mcp__everything__echo"), gate, { deadline: 1 });
    expect(JSON.stringify(told)).toContain("TOOL_BLOCKED_PENDING_APPROVAL");
  });

  it("attack B13: asks about a subagent's call too, and says whose it is", async () => {
    const gate = openGate();
    const json = hooks.find(({ agent_id }) => agent_id !== undefined);
    const seen: unknown[] = [];
    const answer = answerHook(json, gate, {
      caller: (context) => {
        seen.push(context.agentId);
        return { userId: "ann", workspaceId: "home", sessionId: context.sessionId ?? "", agentId: "claude" };
      },
    });
    const [card] = await cards(gate, 1);
    await gate.decide({ ...named(card), decision: "deny", reason: "not now" }, ANN);
    expect(JSON.stringify(await answer)).toContain("not now");
    expect(seen).toEqual(["a000000000000001"]);
  });

  it("answers the permission prompt tool as Claude Code calls it", async () => {
    const gate = openGate();
    const client = await promptClient(gate);
    const answers = promptToolCalls.map((params) => client.callTool(params));
    for (const card of await cards(gate, promptToolCalls.length)) await approve(gate, card);
    const said = (await Promise.all(answers)).map(({ content }) =>
      JSON.parse((content as { text: string }[])[0]?.text ?? ""),
    );
    expect(said).toEqual(promptToolCalls.map((call) => ({ behavior: "allow", updatedInput: call.arguments["input"] })));
  });
});

/** Version 2.1.197 does not ask the hook when nobody sits at the terminal. */
const REQUESTS = RECORDINGS.flatMap(({ hooks }) =>
  hooks.filter(({ hook_event_name }) => hook_event_name === "PermissionRequest"),
);

it.each(REQUESTS)(
  "a PermissionRequest for $tool_name, which has no id of its call, is answered in its own form",
  async (json) => {
    const gate = openGate();
    const answer = answerHook(json, gate);
    await approve(gate, (await cards(gate, 1))[0]);
    expect(await answer).toEqual({
      hookSpecificOutput: {
        hookEventName: "PermissionRequest",
        decision: { behavior: "allow", updatedInput: json.tool_input },
      },
    });
  },
);

it("the Agent SDK's requests are answered once each, also one that is delivered twice", async () => {
  const asked = RECORDINGS.flatMap(({ canUseTool: calls = [] }) => calls);
  expect(asked.map(({ toolName }) => toolName)).toEqual(["Write", "Bash", "mcp__everything__echo", "Write"]);
  const gate = openGate();
  const can = canUseTool(gate, { cwd: "/project" });
  const ask = ({ toolName, input, options }: (typeof asked)[number]) =>
    can(toolName, input, { ...options, signal: new AbortController().signal });
  const answers = [...asked, ...asked].map(ask);
  for (const card of await cards(gate, asked.length)) await approve(gate, card);
  const told = await Promise.all(answers);
  expect(told.slice(0, asked.length)).toEqual(asked.map(({ input }) => ({ behavior: "allow", updatedInput: input })));
  expect(told.slice(asked.length)).toEqual(told.slice(0, asked.length));
});
