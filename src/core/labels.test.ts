import { describe, expect, it } from "vitest";
import { z } from "zod";
import { held } from "../../test/support/held.js";
import { hasPlace, schemaIn } from "./labels.js";
import { lintTools } from "./lint.js";
import { defineTool, type ToolDefinition } from "./tool.js";

const inputSchema = z.object({
  to: z.array(z.string()).meta({ title: "Recipients" }),
  lines: z.array(z.object({ text: z.string(), n: z.number() })),
});
const labels = {
  to: { en: "To", zh: "收件人" },
  "lines.*.text": { en: "Text", zh: "文字" },
  lines: "Lines",
};
const define = (more: Partial<ToolDefinition> = {}) =>
  defineTool({ name: "mail.post", inputSchema: inputSchema as never, labels, ...more });

describe("labels of arguments", () => {
  it("stand in the schema as titles, in the reader's language, and leave the tool's own schema alone", () => {
    const tool = define();
    expect(schemaIn(tool, "zh")).toMatchObject({
      properties: {
        to: { title: "收件人" },
        lines: { title: "Lines", items: { properties: { text: { title: "文字" }, n: { type: "number" } } } },
      },
    });
    expect(schemaIn(tool, "en")).toMatchObject({ properties: { to: { title: "To" } } });
    expect(tool.jsonSchema).toMatchObject({ properties: { to: { title: "Recipients" } } });
  });

  it("name the arguments on the card, escaped, beside their keys (attack A5)", async () => {
    const args = { to: ["ann@example.com"], lines: [{ text: "a", n: 1 }] };
    const own = { ...labels, "lines.*.n": { en: "No\u202e.", zh: "编号" } };
    const { card } = await held({ inputSchema, labels: own }, args);
    const named = ({ label, key }: { readonly label: string; readonly key: string }) => `${label} (${key})`;
    expect((await card()).arguments.map(named)).toEqual(["To (to)", "Lines (lines)"]);
    expect((await card("zh")).arguments.map(named)).toEqual(["收件人 (to)", "Lines (lines)"]);
    expect(JSON.stringify((await card()).arguments)).toContain("No\\\\u{202e}.");
    expect(JSON.stringify((await card("zh")).arguments)).toContain("编号");
  });

  it("are part of what an approval is bound to; a tool without them is the one it was", () => {
    const without = defineTool({ name: "mail.post", inputSchema: inputSchema as never });
    const prints = [without, define(), define({ labels: { to: "An" } }), define({ labels: {} })].map(
      ({ fingerprint }) => fingerprint,
    );
    expect(new Set(prints).size).toBe(4);
    expect(schemaIn(without, "zh")).toBe(without.jsonSchema);
  });

  it.each([[{ to: 5 }], [{ to: { en: "To" } }], [{ to: null }], [["to"]], ["to"]])(
    "are texts by path, or the tool is refused: %j",
    (wrong) => {
      expect(() => define({ labels: wrong as never })).toThrow("labels that are not texts by path");
    },
  );

  it("are missed by the lint where the schema has no such place", () => {
    const codes = (paths: readonly string[]) =>
      lintTools([define({ labels: Object.fromEntries(paths.map((path) => [path, "x"])) })])
        .filter(({ code }) => code === "label_path_unknown")
        .map(({ message }) => message);
    expect(codes(["to", "to.*", "lines.*.n"])).toEqual([]);
    expect(codes(["cc", "lines.text", "constructor"])).toHaveLength(3);
    expect(hasPlace({}, "to")).toBe(false);
  });
});
