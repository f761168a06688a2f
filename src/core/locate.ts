import type { Approval } from "./approval.js";
import { decodeApproval } from "./codec.js";
import { type Engine, loadApproval } from "./engine.js";
import { errorOf, type Refusal, refuse } from "./errors.js";
import { hashToken, sameSecret, tokenIndex } from "./token.js";

/**
 * An approval that is about to be moved: as this process last saw it, unless something speaks against that, else as it is
 * stored. So nobody is told no by what was true a moment ago, and if somebody was faster, the commit tells.
 */
export async function toMove(
  engine: Engine,
  approvalId: string,
  against: (approval: Approval) => Refusal | undefined,
): Promise<Approval> {
  const atHand = typeof approvalId === "string" ? engine.waiters.atHand(approvalId) : undefined;
  if (atHand !== undefined && against(atHand) === undefined) return atHand;
  const approval = await locate(engine, { approvalId });
  const problem = against(approval);
  if (problem) throw errorOf(problem);
  return approval;
}

/** Finds an approval by id or by its confirmation token. */
export async function locate(
  engine: Pick<Engine, "store">,
  by: { readonly approvalId?: string; readonly confirmationToken?: string },
): Promise<Approval> {
  const notFound = () => errorOf(refuse("not_found", "There is no such approval."));
  if (by.approvalId !== undefined) {
    const approval = await loadApproval(engine, by.approvalId);
    if (approval === undefined) throw notFound();
    return approval;
  }
  const token = by.confirmationToken ?? "";
  const found = (await engine.store.list(tokenIndex(hashToken(token)), "", 2)).map(decodeApproval);
  const approval = found.find(
    (candidate) => candidate.tokenHash !== undefined && sameSecret(token, candidate.tokenHash),
  );
  if (approval === undefined) throw notFound();
  return approval;
}
