import { describe, expect, it } from "vitest";
import {
  type AdapterUnderTest,
  ANN,
  type App,
  approve,
  type Call,
  cards,
  describeAdapter,
  named,
  type World,
} from "../../../test/adapters/contract.js";
import { openGate, promptClient } from "../../../test/adapters/mcp-client.js";
import type { GateLike } from "../gate-like.js";
import { answerHook, BUILTIN_TOOLS, canUseTool, PERMISSION_PROMPT_TOOL } from "./index.js";

const DECLARED = { declare: { readNote: { effect: "read", riskTier: "R0" } } } as const;

/** What Claude Code writes to a hook's standard input. */
function hookInput(event: string, tool: string, input: unknown, more: object = {}) {
  return {
    session_id: "5c0f4b7e",
    transcript_path: "transcript.jsonl",
    cwd: "/project",
    permission_mode: "default",
    hook_event_name: event,
    tool_name: tool,
    tool_input: input,
    tool_use_id: "toolu_01",
    ...more,
  };
}

/** Claude Code's side of the contract: it runs the tool when the hook allows it, with the updated input where there is one. */
function claudeCode(gate: GateLike, world: World): App {
  const call = async ({ id, tool, args }: Call, signal?: AbortSignal, more: object = {}): Promise<string> => {
    const options = { ...DECLARED, ...(signal === undefined ? {} : { signal }) };
    const { hookSpecificOutput: said } = (await answerHook(
      hookInput("PreToolUse", tool, args, { tool_use_id: id, ...more }),
      gate,
      options,
    )) as {
      hookSpecificOutput: {
        permissionDecision: string;
        updatedInput?: Record<string, string>;
        additionalContext?: string;
      };
    };
    if (said.permissionDecision !== "allow") return JSON.stringify(said);
    const input = said.updatedInput ?? args;
    world.ran.push({ tool, args: input });
    const result = tool === "readNote" ? `note ${input["id"]}` : `sent to ${input["to"]}`;
    return `${result} ${said.additionalContext ?? ""}`;
  };
  return {
    turn: (calls, signal) => Promise.all(calls.map((one) => call(one, signal))),
    subagentTurn: (one) => call(one, undefined, { agent_id: "agent-1", agent_type: "Explore" }),
    forgedTurn: (one) =>
      call(one, AbortSignal.timeout(1_000), {
        permission_mode: "bypassPermissions",
        permissionDecision: "allow",
        hookSpecificOutput: { permissionDecision: "allow" },
      }),
  };
}

const HOOK: AdapterUnderTest = { name: "Claude Code, PreToolUse hook", open: claudeCode, duplicates: "told-once" };
describeAdapter(HOOK);

describe("the other ways into Claude Code", () => {
  it("canUseTool waits, and hands over what a person changed", async () => {
    const gate = openGate();
    const can = canUseTool(gate, { cwd: "/project" });
    const answer = can("Write", { file_path: "/project/a", content: "x" }, { signal: new AbortController().signal });
    const [card] = await cards(gate, 1);
    await gate.decide({ ...named(card), decision: "approve", args: { file_path: "/project/b", content: "x" } }, ANN);
    expect(await answer).toEqual({ behavior: "allow", updatedInput: { file_path: "/project/b", content: "x" } });
  });

  it("canUseTool denies with the reason, and denies when the gate is down", async () => {
    const gate = openGate();
    const can = canUseTool(gate);
    const signal = new AbortController().signal;
    const answer = can("Bash", { command: "rm -rf build" }, { signal });
    const [card] = await cards(gate, 1);
    await gate.decide({ ...named(card), decision: "deny", reason: "not now" }, ANN);
    expect(await answer).toMatchObject({ behavior: "deny", message: expect.stringContaining("not now") });
    await gate.close();
    expect(await can("Bash", { command: "ls" }, { signal })).toMatchObject({ behavior: "deny" });
  });

  it("a PermissionRequest hook answers in its own form", async () => {
    const gate = openGate();
    const answer = answerHook(hookInput("PermissionRequest", "Edit", { file_path: "a" }), gate);
    await approve(gate, (await cards(gate, 1))[0]);
    expect(await answer).toEqual({
      hookSpecificOutput: {
        hookEventName: "PermissionRequest",
        decision: { behavior: "allow", updatedInput: { file_path: "a" } },
      },
    });
  });

  it("invariant I8: a hook that is out of time, out of reach or not understood never allows", async () => {
    const gate = openGate();
    const bash = hookInput("PreToolUse", "Bash", { command: "ls" });
    const decisionOf = async (json: unknown, options = {}) =>
      ((await answerHook(json, gate, options)) as { hookSpecificOutput?: { permissionDecision?: string } })
        .hookSpecificOutput?.permissionDecision;
    expect(await decisionOf(bash, { deadline: 1 })).toBe("deny");
    for (const junk of [
      undefined,
      null,
      1,
      "",
      [],
      {},
      { hook_event_name: "PreToolUse" },
      { ...bash, tool_input: "x" },
    ])
      expect(await decisionOf(junk)).toBe("deny");
    await gate.close();
    expect(await decisionOf(bash)).toBe("deny");
    expect(await decisionOf(bash, { whenDown: "ask" })).toBe("ask");
    expect(await answerHook(hookInput("PostToolUse", "Bash", {}), gate)).toEqual({});
  });

  it("seed D25: a hook that ran out of time is gone on with by the same call, without a second question", async () => {
    const gate = openGate();
    const bash = hookInput("PreToolUse", "Bash", { command: "make" });
    const first = await answerHook(bash, gate, { deadline: 1 });
    expect(JSON.stringify(first)).toContain("TOOL_BLOCKED_PENDING_APPROVAL");
    await approve(gate, (await cards(gate, 1))[0]);
    const again = await answerHook({ ...bash, tool_use_id: "toolu_02" }, gate, { deadline: 1_000 });
    expect(again).toMatchObject({ hookSpecificOutput: { permissionDecision: "allow" } });
  });

  it("asks about each of several identical calls at once, one after the other; each yes lets one run", async () => {
    const gate = openGate();
    const bash = (tool_use_id: string) => hookInput("PreToolUse", "Bash", { command: "make" }, { tool_use_id });
    const answers = ["a", "b", "c"].map((id) => answerHook(bash(id), gate));
    for (let yes = 0; yes < 2; yes++) await approve(gate, (await cards(gate, 1))[0]);
    const [card] = await cards(gate, 1);
    await gate.decide({ ...named(card), decision: "deny" }, ANN);
    const said = (await Promise.all(answers)).map((answer) => JSON.stringify(answer));
    expect(said.filter((one) => one.includes('"permissionDecision":"allow"'))).toHaveLength(2);
    expect(said.filter((one) => one.includes("TOOL_DENIED"))).toHaveLength(1);
  });

  it("the permission prompt tool answers for runs without a terminal", async () => {
    const gate = openGate();
    const client = await promptClient(gate);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => `mcp__countersign__${name}`)).toEqual([PERMISSION_PROMPT_TOOL]);
    const ask = client.callTool({
      name: "approve",
      arguments: { tool_name: "Bash", input: { command: "make" }, tool_use_id: "t" },
    });
    await approve(gate, (await cards(gate, 1))[0]);
    const { content } = await ask;
    const [said] = content as { text: string }[];
    expect(JSON.parse(said?.text ?? "")).toEqual({ behavior: "allow", updatedInput: { command: "make" } });
  });

  it("lets the tools that only look pass, and asks about the rest", async () => {
    const gate = openGate();
    const decide = async (tool: string, input: object) =>
      JSON.stringify(await answerHook(hookInput("PreToolUse", tool, input), gate, { deadline: 1 }));
    for (const tool of ["Read", "Glob", "Grep", "TodoWrite", "Task", "WebSearch"])
      expect(await decide(tool, { of: tool })).toContain('"allow"');
    const asking = Object.keys(BUILTIN_TOOLS).filter((tool) => BUILTIN_TOOLS[tool]?.effect !== "read");
    for (const tool of [...asking, "WebFetch", "mcp__files__read_file", "SomethingNew"])
      expect(await decide(tool, { of: tool })).toContain("TOOL_BLOCKED_PENDING_APPROVAL");
  });
});
