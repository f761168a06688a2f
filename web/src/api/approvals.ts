import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";
import type { Card, Json, JsonObject, Outcome, ShownValue } from "countersign";
import type { Answer, ApprovalView, DecidedView, GrantSuggestion, Problem } from "countersign/client";
import { get, post } from "./http.js";

/** More than this nobody reads; what is left out is counted, and shown as others are decided. */
export const MOST_SHOWN = 1_000;
const PAGE = 100;

const at = (approvalId: string, act = "") => `/v1/approvals/${encodeURIComponent(approvalId)}${act}`;

export async function listPending(locale: string): Promise<ApprovalView[]> {
  const found: ApprovalView[] = [];
  let after = "";
  do {
    const query = new URLSearchParams({ locale, limit: String(PAGE), ...(after === "" ? {} : { after }) });
    const page = await get<{ approvals: ApprovalView[]; next?: string }>(`/v1/approvals?${query}`);
    found.push(...page.approvals);
    after = page.next ?? "";
  } while (after !== "" && found.length < MOST_SHOWN);
  return found;
}

export const readApproval = (approvalId: string, locale: string) =>
  get<ApprovalView>(`${at(approvalId)}?locale=${locale}`);
/** As the list has it: the card of a long call is left out, so that hearing of one costs nothing. */
export const readListed = (approvalId: string, locale: string) =>
  get<ApprovalView>(`${at(approvalId)}?listed=true&locale=${locale}`);
export const decide = (approvalId: string, answer: Answer) => post<DecidedView>(at(approvalId, "/decision"), answer);
/** Any number of answers, in requests of a size that the server takes; each has its own result, in their order. */
export async function decideAll(decisions: readonly (Answer & { readonly approvalId: string })[]) {
  const results: (DecidedView | Problem)[] = [];
  for (let start = 0; start < decisions.length; start += PAGE) {
    const batch = { decisions: decisions.slice(start, start + PAGE) };
    results.push(...(await post<{ results: (DecidedView | Problem)[] }>("/v1/approvals/decisions", batch)).results);
  }
  return results;
}
export const draft = (approvalId: string, args: JsonObject, locale: string) =>
  post<{ card: Card }>(`${at(approvalId, "/draft")}?locale=${locale}`, { args });
export const dryRun = (approvalId: string) =>
  post<{ result: Json; ranAt: string; toolCallHash: string }>(at(approvalId, "/dry-run"));
export const beginStepUp = (
  approvalId: string,
  question: Omit<Answer, "assertion" | "scope" | "reason" | "cardHash">,
) => post<PublicKeyCredentialRequestOptionsJSON>(at(approvalId, "/step-up"), question);
export const reveal = (approvalId: string, label: string) =>
  post<{ value: ShownValue }>(at(approvalId, "/reveal"), { label });
export const handOver = (approvalId: string, to: string, note: string) =>
  post(at(approvalId, "/hand-over"), { to, ...(note === "" ? {} : { note }) });
export const suggestions = (approvalId: string, locale: string) =>
  get<{ suggestions: GrantSuggestion[] }>(`${at(approvalId, "/grant-suggestions")}?locale=${locale}`);
/** Acts that need no more than their name. */
export const act = (approvalId: string, name: "withdraw" | "ask-again" | "undo" | "release" | "lift-denial") =>
  post<Outcome | undefined>(at(approvalId, `/${name}`));
export const settle = (approvalId: string, receipt: JsonObject) => post(at(approvalId, "/settle"), { receipt });
