import { z } from "zod";
import type { JsonObject } from "../../core/json.js";
import type { Entry } from "../../core/ports.js";
import { exportEntries } from "../../proof/index.js";
import { linesAnswer } from "../http/files.js";
import { type AnyRoute, ok, route } from "../http/route.js";
import type { Service } from "../service.js";
import { wireTime } from "../views.js";
import { chainHead, entryPage } from "../wire/audit.js";
import { count } from "../wire/common.js";

const tag = "Audit log";
const access = "person" as const;
const permission = "audit.read" as const;

/** The workspace's whole log, for owners and auditors: to read, to verify and to take along. */
export function auditRoutes({ gate, proof }: Service): AnyRoute[] {
  return [
    route({
      method: "get",
      path: "/v1/audit/entries",
      tag,
      summary: "The log in order, after a sequence number",
      access,
      permission,
      query: z.strictObject({ after: count(0, Number.MAX_SAFE_INTEGER).optional(), limit: count(1, 500).optional() }),
      answers: {
        200: { description: "A page", schema: entryPage },
      },
      async handle({ by, query: { after = 0, limit = 100 } }) {
        const entries = await gate.entries(by.workspaceId, after, limit);
        const next = entries.length === limit ? entries.at(-1)?.seq : undefined;
        return ok({ entries: entries.map(wireEntry), ...(next === undefined ? {} : { next }) });
      },
    }),
    route({
      method: "get",
      path: "/v1/audit/verify",
      tag,
      summary: "Walk the whole chain and say whether it holds",
      access,
      permission,
      perMinute: 6,
      answers: {
        200: {
          description: "It holds up to its head, or where it breaks",
          schema: z.object({
            ok: z.boolean(),
            seq: z.number().int(),
            hash: z.string().optional(),
            problem: z.string().optional(),
          }),
        },
      },
      async handle({ by }) {
        const verified = await gate.verify(by.workspaceId);
        return ok(verified.ok ? { ...verified, hash: hex(verified.hash) } : verified);
      },
    }),
    route({
      method: "get",
      path: "/v1/audit/checkpoints",
      tag,
      summary: "The head of the chain, the newest signed note about it, and the key to verify it with",
      access,
      permission,
      answers: {
        200: {
          description: "Keep notes elsewhere: a rewritten log does not run through them",
          schema: z.object({ head: chainHead, checkpoints: z.array(z.string()), publicKeys: z.array(z.string()) }),
        },
      },
      async handle({ by }) {
        const { seq, hash, time, signed } = await gate.store.checkpoint(by.workspaceId);
        return ok({
          head: { seq, hash: hex(hash), time: wireTime(time) },
          checkpoints: signed === undefined ? [] : [signed],
          publicKeys: proof.signingKey === undefined ? [] : [proof.signingKey.publicKey],
        });
      },
    }),
    route({
      method: "get",
      path: "/v1/audit/export",
      tag,
      summary: "The whole log as a file: JSON lines that verify elsewhere, or a table to read",
      access,
      permission,
      perMinute: 6,
      query: z.strictObject({ format: z.enum(["jsonl", "csv"]).optional() }),
      answers: { 200: { description: "The log", type: "application/x-ndjson" } },
      async handle({ by, query: { format = "jsonl" } }) {
        const type = format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson";
        return linesAnswer(exportEntries(gate.store, by.workspaceId, { format }), type, `countersign-audit.${format}`);
      },
    }),
  ];
}

function wireEntry({ seq, time, type, ref, content, hash }: Entry) {
  return { seq, time: wireTime(time), type, ref, says: read(content), hash: hex(hash) };
}

/** Sealed content is not JSON for whoever lacks the key. */
function read(content: string | null): JsonObject | null {
  try {
    return content === null ? null : (JSON.parse(content) as JsonObject);
  } catch {
    return null;
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
