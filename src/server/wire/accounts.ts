import { z } from "zod";
import { CHANNELS } from "../../channels/channel.js";
import { id } from "./common.js";

export const accountView = z
  .object({
    accountId: id,
    channel: z.enum(CHANNELS),
    tenant: z.string(),
    platformId: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: "ChatAccount" });

export const accountCode = z.object({ code: z.string(), expiresAt: z.string() }).meta({ id: "AccountCode" });
