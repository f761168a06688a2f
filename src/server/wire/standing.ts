import { z } from "zod";
import { decisionScope } from "./approval.js";
import { id, json, riskTier, text, time } from "./common.js";

const grantKind = z.enum(["session", "minutes", "uses", "workspace"]);
const grantWords = { kind: grantKind, text: z.string(), warnings: z.array(z.string()), until: time };

export const grantPreview = z.object(grantWords).meta({ id: "GrantPreview" });

export const grantView = z
  .object({
    ...grantWords,
    grantId: id,
    tool: z.string(),
    agentId: id,
    agentName: z.string().optional(),
    sessionId: id.optional(),
    givenBy: id,
    givenByName: z.string().optional(),
    givenAt: time,
    used: z.number().int(),
    uses: z.number().int().optional(),
  })
  .meta({ id: "Grant" });

export const grantSuggestion = z
  .object({
    scope: decisionScope,
    /** What it would cover, in words. */
    sentence: z.string(),
    warnings: z.array(z.string()),
    until: time,
    /** How many of the latest calls it would have spared the question. */
    covers: z.number().int(),
  })
  .meta({ id: "GrantSuggestion" });

const milliseconds = z.number().int().positive().max(86_400_000);
export const budget = z.strictObject({
  calls: z.number().int().positive().optional(),
  cost: z.number().positive().optional(),
});
const toolSettings = z.strictObject({
  confirm: z.enum(["always", "on", "off", "default"]).optional(),
  confidenceThreshold: z.number().min(0).max(1).optional(),
  ttl: milliseconds.optional(),
});
const appSetting = z.enum(["on", "off", "default"]);
const names = text(200);

export const settings = z
  .object({
    workspaceId: id,
    userId: id,
    autonomous: z.object({ since: time, until: time, ceiling: riskTier, budget: budget.optional() }).optional(),
    tools: z.record(z.string(), toolSettings),
    apps: z.record(z.string(), appSetting),
    requireConfirmation: z.boolean(),
    confirmAllApi: z.boolean(),
    offlineTtl: milliseconds.optional(),
  })
  .meta({ id: "Settings" });

/** What to change; whatever is left out stays, and `null` removes a tool's or an app's settings. */
export const settingsPatch = z
  .strictObject({
    autonomous: z
      .discriminatedUnion("on", [
        z.strictObject({ on: z.literal(false) }),
        z.strictObject({ on: z.literal(true), until: time, ceiling: riskTier, budget: budget.optional() }),
      ])
      .optional(),
    tools: z.record(names, toolSettings.nullable()).optional(),
    apps: z.record(names, appSetting.nullable()).optional(),
    requireConfirmation: z.boolean().optional(),
    confirmAllApi: z.boolean().optional(),
    offlineTtl: milliseconds.optional(),
  })
  .meta({ id: "SettingsPatch" });

export const scope = z
  .strictObject({
    paths: z.array(text(4_096)).max(1_000).optional(),
    domains: z.array(text(253)).max(1_000).optional(),
  })
  .meta({ id: "Scope" });

export const toolView = z
  .object({
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    version: z.string(),
    app: z.string(),
    effect: z.enum(["read", "write"]),
    destructive: z.boolean(),
    riskTier: riskTier.optional(),
    tags: z.array(z.string()),
    /** Whether it asks by itself: from the arguments where `depends`, by its tier where absent. */
    confirm: z.union([z.boolean(), z.literal("depends")]).optional(),
    inputSchema: z.record(z.string(), json).optional(),
    can: z.object({ dryRun: z.boolean(), preview: z.boolean(), undo: z.boolean() }),
    /** Where the gate does not run it itself: the agent that declared it and runs it. */
    agentId: id.optional(),
    hosted: z.boolean(),
    /** What you have set for it. */
    setting: toolSettings.optional(),
    appSetting: appSetting.optional(),
  })
  .meta({ id: "Tool" });
