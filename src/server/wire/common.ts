import { z } from "zod";
import { ERROR_CODES } from "../../core/errors.js";
import type { Json } from "../../core/json.js";
import { RISK_TIERS } from "../../core/risk.js";

/** Ids, names and words that people and agents send: never longer than anything real. */
export const id = z.string().min(1).max(200);
export const text = (max: number) => z.string().min(1).max(max);
export const time = z.iso.datetime();
export const hash = z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits");
export const riskTier = z.enum(RISK_TIERS);
export const locale = z.enum(["en", "zh"]);
/** Any JSON. What comes in was read as strict JSON before; here it only has to be there. */
export const json = z.custom<Json>((value) => value !== undefined, "a JSON value").meta({ id: "Json" });

/** Numbers in an address are text. */
export const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

export const approvalParams = z.strictObject({ approvalId: id });

/** RFC 9457, as every refusal of every route looks. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.enum(ERROR_CODES),
    retryable: z.boolean(),
    approvalId: id.optional(),
    decidedBy: id.optional(),
    decidedByName: z.string().optional(),
    path: z.string().optional(),
  })
  .meta({ id: "Problem" });
