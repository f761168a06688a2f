import { z } from "zod";
import { id, riskTier, text, time } from "./common.js";
import { name } from "./people.js";

const DAY = 24 * 3_600_000;

export const scopes = z.array(text(200)).max(200);

export const agentView = z
  .object({
    agentId: id,
    name: z.string(),
    ownerId: id,
    kind: z.enum(["agent", "automation"]),
    ceiling: riskTier.nullable(),
    scopes: z.array(z.string()),
    devices: z.enum(["approved", "none"]),
    createdAt: time,
    revokedAt: time.nullable(),
  })
  .meta({ id: "Agent" });

export const newAgent = z
  .strictObject({
    name,
    scopes,
    kind: z.enum(["agent", "automation"]).optional(),
    ceiling: riskTier.optional(),
    devices: z.enum(["approved", "none"]).optional(),
    /** Milliseconds for which its first key lives; 90 days if left out. */
    keyLives: z
      .number()
      .int()
      .positive()
      .max(366 * DAY)
      .optional(),
  })
  .meta({ id: "NewAgent" });

/** Shown once: only its hash is kept. */
export const issuedKey = z
  .object({ agentId: id, keyId: id, apiKey: z.string(), expiresAt: time })
  .meta({ id: "IssuedKey" });

export const keyView = z
  .object({
    keyId: id,
    hint: z.string(),
    createdAt: time,
    expiresAt: time,
    supersededBy: id.nullable(),
    revokedAt: time.nullable(),
    lastUsedAt: time.nullable(),
    useCount: z.number().int(),
  })
  .meta({ id: "Key" });

export const rotation = z.strictObject({
  /** Which key; the agent's only live one if left out. */
  keyId: id.optional(),
  /** Milliseconds for which the old key goes on; a day if left out. */
  overlap: z
    .number()
    .int()
    .min(0)
    .max(30 * DAY)
    .optional(),
  keyLives: newAgent.shape.keyLives,
});

export const usage = z
  .object({
    agentId: id,
    requests: z.number().int(),
    lastUsedAt: time.nullable(),
    keys: z.array(keyView),
    /** What became of its latest calls, by state. */
    calls: z.record(z.string(), z.number().int()),
    tools: z.array(z.object({ tool: z.string(), calls: z.number().int() })),
    /** How many of them were made on each of the last fourteen days, by the universal clock; oldest first. */
    days: z.array(z.object({ day: z.iso.date(), calls: z.number().int() })),
    /** How many of the latest calls were looked at. */
    counted: z.number().int(),
  })
  .meta({ id: "Usage" });

/** A device that waits is a question like any other: who asks, what a yes gives, and what to compare before saying it. */
const deviceCard = z.object({
  asks: z.string(),
  agent: z.string(),
  label: z.string(),
  fingerprint: z.string(),
  effect: z.string(),
  requestedAt: time,
  expiresAt: time,
});

export const deviceView = z
  .object({
    deviceId: id,
    agentId: id,
    label: z.string(),
    fingerprint: z.string(),
    status: z.enum(["pending", "approved", "denied", "revoked"]),
    requestedAt: time,
    lastUsedAt: time.nullable(),
    card: deviceCard.optional(),
  })
  .meta({ id: "Device" });

export const exchanged = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("bound"), token: z.string(), expiresAt: time }),
    z.object({ type: z.literal("pending"), deviceId: id, fingerprint: z.string() }),
  ])
  .meta({ id: "ExchangedProof" });
