import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Scope } from "../core/judging/scope.js";
import { defineTool, type ToolDefinition } from "../core/tool.js";
import { createGate } from "../create-gate.js";
import { memoryStore } from "../stores/memory.js";
import { type ContentAnalyserOptions, contentAnalyser } from "./content.js";

const caller = { userId: "ann", workspaceId: "home", sessionId: "s1", agentId: "helper" };

/** What the gate says of one call of a tool that only reads, by declaration. */
async function judged(
  inputSchema: NonNullable<ToolDefinition["inputSchema"]>,
  args: object,
  options: ContentAnalyserOptions & { readonly scope?: Scope } = {},
) {
  const tool = defineTool({ name: "data.look", effect: "read", inputSchema, execute: () => "seen" });
  const { scope, ...rest } = options;
  const gate = createGate({
    store: memoryStore(),
    tools: [tool],
    analysers: [contentAnalyser(rest)],
    ...(scope === undefined ? {} : { scope }),
    caller,
  });
  try {
    const outcome = await gate.submit({ tool: "data.look", args });
    if (outcome.type !== "pending") return { verdict: outcome.type };
    const [first] = outcome.card.reasons;
    return {
      verdict: "pending",
      tier: outcome.card.riskTier,
      source: first?.source,
      code: first?.code,
      fragment: first?.fragment,
    };
  } finally {
    await gate.close();
  }
}

const text = (format: string) => z.object({ value: z.string().meta({ format }) });

describe("the content analyser in the gate", () => {
  it("a hostile SQL text in a tool that says it reads asks at R4, with the fragment", async () => {
    const value = "SELECT 1; DELETE FROM users";
    expect(await judged(text("sql"), { value })).toMatchObject({ verdict: "pending", tier: "R4", source: "analyser" });
    expect((await judged(text("sql"), { value })).fragment).toContain("DELETE FROM users");
    expect(await judged(text("sql"), { value: "SELECT 1" })).toEqual({ verdict: "succeeded" });
  });

  it.each([
    ["postgres", "TRUNCATE users", "R4"],
    ["mysql", "DROP TABLE users", "R4"],
    ["sqlite", "DELETE FROM users", "R4"],
    ["sql", "INSERT INTO notes VALUES (1)", "R3"],
    ["sql", "SELEKT", "R4"],
    ["shell", "ls; rm -rf /", "R4"],
    ["path", "/home/ann/.ssh/id_ed25519", "R3"],
    ["uri", "http://169.254.169.254/latest/meta-data", "R3"],
    ["url", "not a url", "R4"],
    ["hostname", "127.0.0.1", "R3"],
    ["hostname", "a.com/../b", "R4"],
  ])("a %s that does more than read asks: %s", async (format, value, tier) => {
    expect(await judged(text(format), { value })).toMatchObject({ verdict: "pending", tier });
  });

  it.each([
    ["shell", "ls -l"],
    ["uri", "https://example.com/a"],
    ["email", "ann@example.com"],
    ["path", "/desk/a.txt"],
  ])("an ordinary %s runs: %s", async (format, value) => {
    expect(await judged(text(format), { value })).toEqual({ verdict: "succeeded" });
  });

  it.each([
    ["path", "/etc/hosts"],
    ["uri", "https://other.org/"],
    ["hostname", "other.org"],
    ["email", "ann@other.org"],
  ])("a %s outside of the session's scope drifts: %s", async (format, value) => {
    const scope = { paths: ["/desk"], domains: ["example.com"] };
    expect(await judged(text(format), { value }, { scope })).toMatchObject({
      verdict: "pending",
      tier: "R3",
      source: "scope",
    });
  });

  it("finds texts in lists, records, alternatives, references and nested objects", async () => {
    const sql = z.string().meta({ format: "sql" });
    const node: z.ZodType = z.object({
      sql: sql.optional(),
      get children() {
        return z.array(node).optional();
      },
    });
    const bad = "DELETE FROM users";
    for (const [schema, args] of [
      [z.object({ all: z.array(sql) }), { all: ["SELECT 1", bad] }],
      [z.object({ by: z.record(z.string(), sql) }), { by: { one: bad } }],
      [z.object({ either: z.union([z.number(), sql]) }), { either: bad }],
      [z.object({ pair: z.tuple([z.number(), sql]) }), { pair: [1, bad] }],
      [z.object({ deep: z.object({ er: z.object({ query: sql }) }) }), { deep: { er: { query: bad } } }],
      [z.object({ node }), { node: { children: [{ children: [{ sql: bad }] }] } }],
    ] as const)
      expect(await judged(schema, args)).toMatchObject({ verdict: "pending", tier: "R4" });
  });

  it("takes the options' word for tools whose schema says nothing, and doubts what is no text there", async () => {
    const schema = z.object({ data: z.object({ query: z.unknown() }) });
    const options = { tools: { "data.look": { "args.data.query": "postgres" } } } as const;
    const query = "DROP TABLE users";
    expect(await judged(schema, { data: { query } })).toEqual({ verdict: "succeeded" });
    expect(await judged(schema, { data: { query } }, options)).toMatchObject({ verdict: "pending", tier: "R4" });
    expect(await judged(schema, { data: { query: ["SELECT 1", query] } }, options)).toMatchObject({ tier: "R4" });
    expect(await judged(schema, { data: { query: { text: query } } }, options)).toMatchObject({
      code: "uninspectable",
      tier: "R4",
    });
  });

  it("refuses a format that it does not know", () => {
    expect(() => contentAnalyser({ tools: { "data.look": { query: "cobol" as never } } })).toThrow('"cobol"');
  });
});
