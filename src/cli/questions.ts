import { ClientError } from "../client/index.js";
import type { ApprovalView } from "../client/wire.js";
import { type Api, refusal } from "./api.js";

export interface Question extends ApprovalView {
  readonly card: NonNullable<ApprovalView["card"]>;
}

const PAGE = 100;

/** Everything that waits for the signed-in person, oldest first. */
export async function pendingQuestions(api: Api, locale: string): Promise<Question[]> {
  const all: Question[] = [];
  for (let after = ""; ; ) {
    const cursor = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const page = await api.get<{ approvals: ApprovalView[]; next?: string }>(
      `/v1/approvals?limit=${PAGE}&locale=${locale}${cursor}`,
    );
    for (const approval of page.approvals) {
      const question = await withCard(api, approval, locale);
      if (question !== undefined) all.push(question);
    }
    if (page.next === undefined) return all;
    after = page.next;
  }
}

/** Lists leave the card of a long call out: that one is read alone. None where the question has ended meanwhile. */
async function withCard(api: Api, listed: ApprovalView, locale: string): Promise<Question | undefined> {
  const approval = listed.card === undefined ? await read(api, listed.approvalId, locale).catch(unlessGone) : listed;
  return approval?.card && { ...approval, card: approval.card };
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof ClientError && error.code === "not_found")) throw error;
}

function read(api: Api, approvalId: string, locale: string): Promise<ApprovalView> {
  return api.get<ApprovalView>(`/v1/approvals/${encodeURIComponent(approvalId)}?locale=${locale}`);
}

/** By id, or by the code that stands on the card; a code that two questions share names none of them. */
export async function findQuestion(api: Api, named: string, locale: string): Promise<Question> {
  if (/^[0-9a-f]{8}-/.test(named)) {
    const approval = await read(api, named, locale);
    if (approval.card === undefined) throw refusal("not_found", "What was asked is not kept any more.");
    return { ...approval, card: approval.card };
  }
  const waiting = await pendingQuestions(api, locale);
  const found = waiting.filter(({ card }) => card.code.toLowerCase() === named.toLowerCase());
  if (found.length > 1) throw refusal("not_found", `Several questions have the code "${named}". Use the id.`);
  const [only] = found;
  if (only === undefined) throw refusal("not_found", `Nothing that waits has the code "${named}".`);
  return only;
}

/** Minutes, or seconds in the last one. */
export function timeLeft(expiresAt: string, now: number): string {
  const seconds = Math.max(0, Math.round((Date.parse(expiresAt) - now) / 1_000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
