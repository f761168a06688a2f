import { z } from "zod";
import type { Exact } from "../http/route.js";
import { id, json, riskTier, text } from "./common.js";

const MILLISECONDS = z.number().int().positive().max(86_400_000);
const words = (most: number) => z.union([text(most), z.strictObject({ en: text(most), zh: text(most) })]);

/**
 * A tool that its agent runs itself. It speaks for that agent alone. What it says of its own danger may raise its tier and never
 * lowers it: a write counts as R2 at least, and it can ask for a question, not for none.
 */
export const declaredTool = z
  .strictObject({
    name: z.string().regex(/^[\x21-\x7e]{1,128}$/, "1 to 128 printable characters without blanks"),
    title: words(200).optional(),
    description: text(10_000).optional(),
    version: text(200).optional(),
    app: text(200).optional(),
    /** JSON Schema without `$ref`; patterns are kept and shown, and left to the agent to check. */
    inputSchema: z.record(z.string(), json).optional(),
    /** What people call the arguments, by their paths. */
    labels: z
      .record(text(500), words(200))
      .refine((labels) => Object.keys(labels).length <= 200, "at most 200 labels")
      .optional(),
    effect: z.enum(["read", "write"]).optional(),
    destructive: z.boolean().optional(),
    riskTier: riskTier.optional(),
    confirm: z.literal(true).optional(),
    confirmPrompt: words(1_000).optional(),
    confidenceThreshold: z.number().min(0).max(1).optional(),
    tags: z.array(text(100)).max(50).optional(),
    /** Paths into the arguments whose values are hidden wherever they are shown. */
    sensitive: z.array(text(500)).max(100).optional(),
    ttl: MILLISECONDS.optional(),
    offlineTtl: MILLISECONDS.optional(),
    timeout: MILLISECONDS.optional(),
    provider: id.optional(),
    actionType: id.optional(),
    idempotent: z.boolean().optional(),
    rollbackNote: words(1_000).optional(),
  })
  .meta({ id: "DeclaredTool" });
export type DeclaredToolForm = Exact<z.output<typeof declaredTool>>;

export const toolsBody = z.strictObject({ tools: z.array(declaredTool).min(1).max(100) });

export const toolsTaken = z.object({
  tools: z.array(z.object({ name: z.string(), fingerprint: z.string(), riskTier: riskTier.optional() })),
});
