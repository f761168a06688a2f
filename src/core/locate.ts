import type { Approval } from "./approval.js";
import { decodeApproval } from "./codec.js";
import { type Engine, loadApproval } from "./engine.js";
import { errorOf, refuse } from "./errors.js";
import { hashToken, sameSecret, tokenIndex } from "./token.js";

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

/** The question was put again because the world moved: the new one is the answer to the old. */
export async function latest(engine: Engine, approval: Approval): Promise<Approval> {
  const replacement = approval.replacedBy === undefined ? undefined : await loadApproval(engine, approval.replacedBy);
  return replacement === undefined ? approval : latest(engine, replacement);
}
