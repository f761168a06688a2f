import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openGate } from "../../test/support/held.js";
import { defineCommand, success } from "./command.js";
import { lintTools } from "./lint.js";
import { createRegistry } from "./registry.js";
import { defineTool, type ToolDefinition } from "./tool.js";

const PROMPT = { en: "This will be deleted.", zh: "将被删除。" };

function codes(tool: ToolDefinition): readonly string[] {
  return lintTools([defineTool(tool)]).map(({ code }) => code);
}

describe("the lint of tools", () => {
  it.each<readonly [string, ToolDefinition]>([
    ["read_by_a_writing_name", { name: "todo.delete", effect: "read" }],
    ["not_destructive_by_a_destroying_name", { name: "todo.delete" }],
    ["never_asks_and_reaches_out", { name: "mail.send", confirm: false }],
    ["tag_disagrees", { name: "bank.balance", effect: "read", tags: ["payment"] }],
    ["tag_disagrees", { name: "todo.update", tags: ["irreversible"] }],
    ["destructive_below_r4", { name: "todo.delete", destructive: true, riskTier: "R2", confirmPrompt: PROMPT }],
    ["destructive_without_prompt", { name: "todo.delete", destructive: true }],
    ["prompt_says_permanent", { name: "todo.update", confirmPrompt: { en: "Permanently changed.", zh: "将被修改。" } }],
    ["prompt_in_one_language", { name: "todo.update", confirmPrompt: "Change it?" }],
    [
      "prompt_names_no_argument",
      {
        name: "todo.update",
        inputSchema: z.object({ id: z.string() }),
        confirmPrompt: { en: "Change {name}?", zh: "修改 {id}？" },
      },
    ],
    [
      "prompt_promises_less",
      {
        name: "todo.clear",
        destructive: true,
        inputSchema: z.object({ all: z.boolean() }),
        confirmPrompt: PROMPT,
      },
    ],
    [
      "sensitive_path_unknown",
      {
        name: "todo.update",
        inputSchema: z.object({ a: z.array(z.object({ b: z.string() })) }),
        sensitive: ["a.*.b", "a.b", "a.c"],
      },
    ],
    ["secret_not_sensitive", { name: "user.update", inputSchema: z.object({ new_password: z.string() }) }],
  ])("names %s", (code, tool) => {
    expect(codes(tool)).toEqual([code]);
  });

  it("has nothing to say about tools that agree with themselves", () => {
    expect(codes({ name: "todo.list", effect: "read" })).toEqual([]);
    expect(codes({ name: "todo.delete", destructive: true, confirmPrompt: () => "Delete it?" })).toEqual([]);
    expect(
      codes({ name: "user.update", inputSchema: z.object({ password: z.string() }), sensitive: ["password"] }),
    ).toEqual([]);
  });

  it("is told when a gate opens, and whenever it is asked for", () => {
    const told: unknown[] = [];
    const gate = openGate({
      tools: [defineTool({ name: "todo.delete" })],
      notice: (event, fields) => told.push([event, fields["code"]]),
    });
    expect(told).toEqual([["tool.lint", "not_destructive_by_a_destroying_name"]]);
    expect(gate.lint()).toMatchObject([{ tool: "todo.delete" }]);
  });
});

describe("a command's metadata", () => {
  const command = defineCommand({
    name: "todo-delete",
    description: "Deletes a todo",
    destructive: true,
    tags: ["todo", "irreversible"],
    confirmPrompt: PROMPT,
    handler: () => success({}),
  });
  const expected = {
    name: "todo-delete",
    description: "Deletes a todo",
    destructive: true,
    mutation: true,
    tags: ["todo", "irreversible"],
    confirmPrompt: PROMPT.en,
  };

  it("flaw F-B6: survives registry, list, either spelling, a gate and JSON", () => {
    const registry = createRegistry([command]);
    const { registry: ofGate } = openGate({ registry });
    const seen = [
      registry.getCommandMetadata("todo-delete"),
      registry.getCommandMetadata("todo.delete"),
      registry.listCommandsWithMetadata()[0],
      ofGate.getCommandMetadata("todo-delete"),
      JSON.parse(JSON.stringify(registry.listCommandsWithMetadata()[0])),
      createRegistry(registry.list()).getCommandMetadata("todo-delete"),
    ];
    for (const metadata of seen) expect(metadata).toEqual(expected);
  });

  it("flaw F-B6: reaches the card of a call that is one of many", async () => {
    const gate = openGate({ tools: [command] });
    const caller = { userId: "ann", workspaceId: "home", sessionId: "s", agentId: "a" };
    const batch = await Promise.all(["1", "2"].map((id) => gate.submit({ tool: "todo-delete", args: { id } }, caller)));
    for (const outcome of batch) {
      expect(outcome.type === "pending" && outcome.card).toMatchObject({
        isDestructive: true,
        riskTier: "R4",
        humanSummary: PROMPT.en,
        reasons: expect.arrayContaining([expect.objectContaining({ code: "tag", fragment: "irreversible" })]),
      });
    }
  });
});
