import type { Card } from "../../src/core/card/card.js";
import { defineTool } from "../../src/core/tool.js";
import { held } from "./held.js";

/** One call with the text in every place from which a card is made. */
export async function everywhere(text: string, sensitive: readonly string[] = []): Promise<readonly Card[]> {
  const at = (place: string): string => `${place} ${text} end`;
  // Ids with NUL characters are refused before anything is shown.
  const id = (place: string): string => at(place).replaceAll("\0", "");
  const { card, gate, approvalId } = await held(
    {
      title: at("title"),
      description: at("description"),
      app: at("app"),
      sensitive,
      confirmPrompt: { en: at("prompt {to}"), zh: at("提示 {to}") },
      rollback: { note: at("undo") },
      preview: () => ({
        effects: [
          {
            kind: at("kind"),
            noun: at("noun"),
            count: 2,
            sample: [at("sample"), { [at("key")]: at("in") }],
            before: at("b"),
            after: at("a"),
          },
        ],
        targets: [at("target")],
        warnings: [{ code: at("code"), message: at("warning"), severity: at("severity") as never }],
      }),
    },
    { to: at("to"), secret: at("secret"), [at("key")]: { [at("inner")]: [at("item")] } },
    {
      caller: { userId: id("user"), agentId: id("agent"), sessionId: id("session"), lineage: [at("lineage")] },
      call: {
        runId: at("run"),
        summary: at("summary"),
        alternatives: [{ tool: at("tool"), args: { [at("key")]: at("value") } }],
        context: { [at("where")]: at("cwd") },
      },
      gate: {
        tools: [defineTool({ name: "other.tool" })],
        analysers: [
          async () => [
            { source: "analyser", code: at("code"), riskTier: "R3", text: at("reason"), fragment: at("fragment") },
          ],
        ],
      },
    },
  );
  const person = { kind: "person", userId: id("user"), workspaceId: "home" } as const;
  const drafted = await gate.draft(approvalId, { to: at("edited") }, person, "zh");
  return [await card("en"), await card("zh"), drafted as Card];
}
