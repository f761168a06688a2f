import { z } from "zod";
import { PRIVACY_LEVELS } from "../../core/privacy.js";
import { id, riskTier, time } from "./common.js";
import { role } from "./people.js";
import { budget } from "./standing.js";

export const level = z.enum(PRIVACY_LEVELS);

export const privacyView = z
  .object({
    level,
    levels: z.array(
      z.object({
        level,
        /** Milliseconds after a call's end for which what was said in it is kept. */
        contentKeptFor: z.number().int(),
        keptWhileContentIs: z.array(z.string()),
        keptAfterwards: z.array(z.string()),
        neverKept: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: "Privacy" });

export const workspaceView = z
  .object({
    workspaceId: id,
    name: z.string(),
    role,
    paused: z.boolean(),
    /** What the store promises, in plain words. */
    storePromise: z.object({ engine: z.string(), durable: z.boolean(), shared: z.boolean(), text: z.string() }),
    privacy: level,
    /** Your own Autonomous Mode, while it is on. */
    autonomous: z.object({ since: time, until: time, ceiling: riskTier, budget: budget.optional() }).optional(),
    /** What waits for you. */
    counts: z.object({
      pending: z.number().int(),
      unknown: z.number().int(),
      withheld: z.number().int(),
      devices: z.number().int(),
    }),
  })
  .meta({ id: "Workspace" });
