import { z } from "zod";
import { hash, json, time } from "./common.js";

export const chainHead = z.object({ seq: z.number().int(), hash, time });

const entryView = z
  .object({
    seq: z.number().int(),
    time,
    type: z.string(),
    /** The approval it speaks of; empty for none. */
    ref: z.string(),
    /** What it says; null where it was erased or is sealed. */
    says: z.record(z.string(), json).nullable(),
    hash: hash.optional(),
  })
  .meta({ id: "AuditEntry" });

export const entryPage = z.object({ entries: z.array(entryView), next: z.number().int().optional() });

/** One call's own entries. */
export const timeline = z.object({
  entries: z.array(entryView),
  chain: z.object({ verified: z.boolean(), signed: z.boolean(), problem: z.string().optional(), head: chainHead }),
});
