import { describe, expect, it } from "vitest";
import { z } from "zod";
import { approval, HASH } from "../../test/gate/records.js";
import { renderCard } from "./card.js";
import type { CallRecord } from "./record.js";
import { defineTool, type ToolDefinition } from "./tool.js";

function record(args: object, over: Partial<CallRecord> = {}): CallRecord {
  const verdict = { type: "confirm", step: "tier_floor", rules: [] } as const;
  return { canonical: JSON.stringify({ args }), reasons: [], verdict, ...over };
}

const tool = (over: Partial<ToolDefinition> = {}) =>
  defineTool({ name: "tasks.delete", title: "Delete task", destructive: true, ...over });

describe("renderCard", () => {
  it("shows every argument, labelled by the schema, with the hash of what would run", () => {
    const inputSchema = z.object({
      id: z.string().meta({ title: "Task" }),
      all: z.boolean(),
      toString: z.string().optional(),
    });
    const card = renderCard(approval(), record({ id: "7", all: true }), tool({ inputSchema: inputSchema as never }));
    expect(card.arguments).toEqual([
      { key: "id", label: "Task", value: "7" },
      { key: "all", label: "all", value: true },
    ]);
    expect(card).toMatchObject({ toolCallHash: HASH, isDestructive: true, requester: { userId: "ann", lineage: [] } });
  });

  it("seed B3: asks in general words where the tool has none, in both languages", () => {
    expect(renderCard(approval(), record({}), tool()).humanSummary).toBe("Run Delete task?");
    expect(renderCard(approval(), record({}), tool(), undefined, "zh").humanSummary).toBe("运行 Delete task？");
    expect(renderCard(approval(), record({}), undefined).humanSummary).toBe("Run tasks.delete?");
  });

  it("flaw F-B4: fills a prompt from the arguments alone, and leaves what it does not know in sight", () => {
    const confirmPrompt = "Delete {id} ({count}, {constructor})?";
    const card = renderCard(approval(), record({ id: "7", count: 3 }), tool({ confirmPrompt }));
    expect(card.humanSummary).toBe("Delete 7 (3, {constructor})?");
    expect(renderCard(approval(), record({ id: "{count}", count: 3 }), tool({ confirmPrompt })).humanSummary).toBe(
      "Delete {count} (3, {constructor})?",
    );
  });

  it("calls an unknown tool's call destructive when its tier says so", () => {
    expect(renderCard(approval({ riskTier: "R4" }), record({}), undefined).isDestructive).toBe(true);
    expect(renderCard(approval({ riskTier: "R3" }), record({}), undefined).isDestructive).toBe(false);
  });

  it("keeps the agent's words to one line of 280 characters, marked when cut", () => {
    const says = (summary: string) => renderCard(approval(), record({}, { summary }), tool()).agentSays;
    expect(says("one\ntwo")).toBe("one");
    expect(says("x".repeat(281))).toBe(`${"x".repeat(280)}…`);
    expect(renderCard(approval(), record({}), tool())).not.toHaveProperty("agentSays");
  });

  it("seed D7: shows what changed against the proposal first, else against the superseded plan", () => {
    const plan = record({ id: "6" });
    expect(renderCard(approval(), record({ id: "8" }, { proposed: { id: "7" } }), tool(), plan).diff).toEqual([
      { type: "replace", path: ["id"], before: "7", after: "8" },
    ]);
    expect(renderCard(approval(), record({ id: "8" }), tool(), plan).diff).toEqual([
      { type: "replace", path: ["id"], before: "6", after: "8" },
    ]);
    expect(renderCard(approval(), record({ id: "8" }), tool())).not.toHaveProperty("diff");
  });

  it("flaw F-6: shows how the preview changed, and nothing where there was none", () => {
    const preview = (count: number) => ({ effects: [{ kind: "delete", noun: "row", count }], digest: String(count) });
    const card = renderCard(
      approval(),
      record({}, { preview: preview(2) }),
      tool(),
      record({}, { preview: preview(1) }),
    );
    expect(card.previewDiff).toEqual([{ type: "replace", path: ["effects", 0, "count"], before: 1, after: 2 }]);
    expect(renderCard(approval(), record({}, { preview: preview(2) }), tool(), record({}))).not.toHaveProperty(
      "previewDiff",
    );
  });
});
