import type { AnyTool } from "../core/tool.js";

/** A tool as its server is told of it. What cannot be said in words, such as a function that decides, is said more strictly. */
export function declarationOf(tool: AnyTool): Readonly<Record<string, unknown>> {
  const { confirm, confirmPrompt, rollback, jsonSchema, tags, sensitive } = tool;
  const said = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    version: tool.version === "" ? undefined : tool.version,
    app: tool.app,
    inputSchema: jsonSchema,
    labels: tool.labels,
    effect: tool.effect,
    destructive: tool.destructive,
    riskTier: tool.riskTier,
    // A server cannot run the function: it asks every time.
    confirm: confirm === undefined || confirm === false ? undefined : true,
    confirmPrompt: typeof confirmPrompt === "function" ? undefined : confirmPrompt,
    confidenceThreshold: tool.confidenceThreshold,
    tags: tags.length === 0 ? undefined : tags,
    sensitive: sensitive.length === 0 ? undefined : sensitive,
    ttl: tool.ttl,
    offlineTtl: tool.offlineTtl,
    timeout: tool.timeout,
    provider: tool.provider,
    actionType: tool.actionType,
    idempotent: tool.idempotent,
    rollbackNote: rollback?.note,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
