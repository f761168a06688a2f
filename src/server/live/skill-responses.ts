import { z } from "zod";
import type { SkillResult } from "../../client/wire-live.js";
import { CountersignError } from "../../core/errors.js";
import type { Locale } from "../../core/tool.js";
import { decideAs } from "../deciding.js";
import { problemOf } from "../http/problem.js";
import { decidesUpTo, type PersonPrincipal, personOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { listedCard } from "../views.js";
import type { SkillTokens } from "./skill-tokens.js";

const skillId = z.uuid();
const token = z.string().max(200);

/** Exactly these words and types: "false", 1 and an empty list are no answers. */
const responsePayload = z.strictObject({
  app_skill_id: z.union([skillId, z.array(skillId).min(1).max(100)]),
  confirmation_token: token.optional(),
  /** In a group each item has its own. */
  confirmation_tokens: z.record(skillId, token).optional(),
  decision: z.enum(["approve", "reject"]),
  group_mode: z.boolean().optional(),
  reason: z.string().max(1_000).optional(),
});
type Response = z.output<typeof responsePayload>;

/** What a device was shown: the tokens of its messages, and their language. */
interface Shown {
  readonly tokens: SkillTokens;
  readonly locale: Locale;
}

/**
 * Takes an answer from a device. A message that is not well formed decides nothing; in a group each item is answered for itself,
 * and one without its own token, or that is not there, decides nothing and says so.
 */
export async function respond(
  service: Service,
  shown: Shown,
  by: PersonPrincipal,
  payload: unknown,
): Promise<readonly SkillResult[]> {
  const response = read(payload);
  const ids = typeof response.app_skill_id === "string" ? [response.app_skill_id] : response.app_skill_id;
  const results: SkillResult[] = [];
  // One after the other: the order in which a person answered is the order in which it counts.
  for (const id of ids) results.push(await answerOne(service, shown, by, { id, response, isGroup: ids.length > 1 }));
  return results;
}

function read(payload: unknown): Response {
  const parsed = responsePayload.safeParse(payload);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(["payload", ...(issue?.path ?? []).map(String)].join("."), issue?.message ?? "not valid");
  }
  const { app_skill_id: ids, group_mode: isGroup } = parsed.data;
  if (typeof ids === "string" ? isGroup === true : isGroup === false) {
    throw invalid("payload.group_mode", "it says the opposite of app_skill_id");
  }
  if (typeof ids !== "string" && new Set(ids).size < ids.length) throw invalid("payload.app_skill_id", "an id twice");
  return parsed.data;
}

async function answerOne(
  service: Service,
  { tokens, locale }: Shown,
  by: PersonPrincipal,
  { id, response, isGroup }: { readonly id: string; readonly response: Response; readonly isGroup: boolean },
): Promise<SkillResult> {
  try {
    const approval = await service.gate.approval(id, personOf(by));
    const { toolCallHash, riskTier } = approval;
    const given = response.confirmation_tokens?.[id] ?? (isGroup ? undefined : response.confirmation_token);
    if (!tokens.fits(given, { sessionId: by.session.sessionId, approvalId: id, toolCallHash })) {
      throw new CountersignError(
        "token_mismatch",
        "This item needs its own token, of what this device shows now. Look at it again.",
      );
    }
    if (isGroup && response.decision === "approve" && (riskTier === "R4" || decidesUpTo(by) !== "R4")) {
      throw new CountersignError("invalid_decision", "This one is approved by itself, not in a group.");
    }
    // The message that asked it left the card out: a yes to it is a yes to what was not shown.
    const isYes = response.decision === "approve";
    if (isYes && listedCard(await service.gate.cardToDraw(approval), locale) === undefined) {
      const why = "No message shows this call: it is too long for one, or cannot be drawn.";
      throw new CountersignError("step_up_required", `${why} Look at it in the browser.`);
    }
    const decided = await decideAs(service, by, {
      approvalId: id,
      toolCallHash,
      decision: response.decision === "approve" ? "approve" : "deny",
      ...(response.reason === undefined ? {} : { reason: response.reason }),
    });
    return { app_skill_id: id, ok: true, state: decided.state, votes: decided.votes, quorum: decided.quorum };
  } catch (error) {
    const { code, detail, decidedBy, decidedByName } = problemOf(error);
    const who = decidedBy === undefined ? {} : { decided_by: decidedBy };
    const name = decidedByName === undefined ? {} : { decided_by_name: decidedByName };
    return { app_skill_id: id, ok: false, code, detail, ...who, ...name };
  }
}

function invalid(path: string, what: string): CountersignError {
  return new CountersignError("invalid_request", `Nothing was decided. ${path}: ${what}.`, { path });
}
