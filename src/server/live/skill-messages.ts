import type { SkillNews, SkillQuestion } from "../../client/wire-live.js";
import type { Approval } from "../../core/approval.js";
import type { Card } from "../../core/card/card.js";
import { atLeast } from "../../core/risk.js";
import { escapeText } from "../../core/text/escape.js";
import { showName } from "../../core/text/inline.js";
import { type Locale, textIn } from "../../core/tool.js";
import { decidesUpTo, type PersonPrincipal } from "../identity/index.js";
import type { Service } from "../service.js";
import { listedCard, wireTime } from "../views.js";
import { type Happening, mayDecide } from "./happening.js";
import type { SkillTokens } from "./skill-tokens.js";

const MAX_CARDS = 200;

/** Too much for a message that every device gets: it is read in the browser. */
const LONG = Symbol("a card too long for a message");

/** The question as it is shown, to everyone who may answer it. Drawn once, whoever and however many they are. */
const ASKS: readonly string[] = ["approval.created", "approval.edited", "approval.handed_over"];

/** Makes the messages that tell people's devices what waits and what became of it. */
export class SkillMessages {
  readonly #service: Service;
  readonly #tokens: SkillTokens;
  readonly #cards = new Map<string, Promise<Card | typeof LONG | undefined>>();

  constructor(service: Service, tokens: SkillTokens) {
    this.#service = service;
    this.#tokens = tokens;
  }

  /** Undefined where there is nothing to say. */
  async told(
    { event, approval }: Happening,
    by: PersonPrincipal,
    locale: Locale,
  ): Promise<SkillQuestion | SkillNews | undefined> {
    if (approval === undefined) return undefined;
    if (ASKS.includes(event.type)) return this.required(approval, by, locale, event.seq);
    const end = endOf(event, approval);
    if (end === undefined) return undefined;
    const { decided_by } = end.payload;
    const name = decided_by && (await this.#service.identity.names.nameOf(approval.workspaceId, decided_by));
    const payload = name ? { ...end.payload, decided_by_name: showName(name) } : end.payload;
    return { ...end, payload, seq: event.seq };
  }

  /** The question to one person's device, with the token of what it shows. */
  async required(
    approval: Approval,
    by: PersonPrincipal,
    locale: Locale,
    seq: number,
  ): Promise<SkillQuestion | undefined> {
    if (approval.state !== "pending" || !mayDecide(by, approval)) return undefined;
    const card = await this.#card(approval, locale);
    if (card === undefined) return undefined;
    const { approvalId, requester, workspaceId, toolCallHash } = approval;
    const tool = this.#service.gate.registry.find(approval.tool, { workspaceId, agentId: requester.agentId });
    return {
      type: "app_skill_confirmation_required",
      seq,
      payload: {
        app_skill_id: approvalId,
        action_type: tool?.actionType ?? actionOf(approval.tool),
        skill_id: approval.tool,
        app_id: tool?.app ?? escapeText(approval.tool),
        description: card === LONG ? escapeText(textIn(tool?.title, locale) ?? approval.tool) : card.humanSummary,
        ...(card === LONG ? {} : { details: card }),
        expires_at: wireTime(approval.decideBy),
        confirmation_token: this.#tokens.issue({ sessionId: by.session.sessionId, approvalId, toolCallHash }),
        ...(card === LONG || (await this.#needsBrowser(card, by)) ? { decide_in_browser: true } : {}),
      },
    };
  }

  /** A yes that a message cannot give: beyond what a terminal decides, or one that needs a passkey over the call. */
  async #needsBrowser({ riskTier }: Card, by: PersonPrincipal): Promise<boolean> {
    if (!atLeast(decidesUpTo(by), riskTier)) return true;
    return riskTier === "R4" && (await this.#service.identity.stepUp.isEnrolled(by.userId));
  }

  #card(approval: Approval, locale: Locale): Promise<Card | typeof LONG | undefined> {
    const key = `${approval.approvalId}/${approval.version}/${locale}`;
    const known = this.#cards.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#cards.keys();
    if (oldest !== undefined && this.#cards.size >= MAX_CARDS) this.#cards.delete(oldest);
    const drawn = this.#draw(approval, locale);
    this.#cards.set(key, drawn);
    drawn.catch(() => this.#cards.delete(key));
    return drawn;
  }

  async #draw(approval: Approval, locale: Locale): Promise<Card | typeof LONG | undefined> {
    const card = await this.#service.gate.cardToDraw(approval);
    return card && (listedCard(card, locale) ?? LONG);
  }
}

function endOf(event: Happening["event"], approval: Approval): Omit<SkillNews, "seq"> | undefined {
  const { approvalId, tool, resolution, execution } = approval;
  const about = { app_skill_id: approvalId, skill_id: tool };
  const decided = { ...about, at: event.time, ...(event.by === undefined ? {} : { decided_by: event.by }) };
  const reason = event.reason === undefined ? {} : { reason: event.reason };
  switch (event.type) {
    case "approval.resolved":
      if (event.state === "approved") return { type: "app_skill_approved", payload: decided };
      if (event.state === "denied") return { type: "app_skill_rejected", payload: { ...decided, ...reason } };
      if (event.state === "expired") return { type: "app_skill_expired", payload: { ...about, at: event.time } };
      return { type: "app_skill_cancelled", payload: { ...decided, ...reason } };
    case "approval.expiring":
      return { type: "app_skill_expiring", payload: { ...about, expires_at: wireTime(approval.decideBy) } };
    case "call.executed":
    case "call.lost": {
      // What ran without a question is history, not an answer to anything that was on a screen.
      if (resolution === undefined) return undefined;
      const status = event.type === "call.lost" ? "unknown" : (event.state ?? approval.state);
      const by = resolution.by === undefined ? {} : { decided_by: resolution.by };
      const error = execution?.error === undefined ? {} : { error: execution.error };
      return { type: "app_skill_completed", payload: { ...about, at: event.time, status, ...by, ...error } };
    }
    default:
      return undefined;
  }
}

/** `email.send` → `send_email`, for tools that do not say it themselves. */
function actionOf(tool: string): string {
  const [app = "", verb, ...rest] = tool.split(".");
  const words = verb === undefined ? app : [verb, ...rest, app].join("_");
  return words.replaceAll("-", "_");
}
