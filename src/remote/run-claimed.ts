import type { Caller } from "../core/call.js";
import type { Receipt } from "../core/claim.js";
import { failureText } from "../core/failure-text.js";
import { canonicalize } from "../core/json.js";
import { type Outcome, unknown } from "../core/outcome.js";
import type { Claim } from "../core/remote.js";
import { reportedResult } from "../core/result.js";
import { validateArgs } from "../core/schema.js";
import type { ApprovalToken } from "../core/token.js";
import type { AnyTool } from "../core/tool.js";

/** Approved, and the permission to run it is here. */
export type Ready = Extract<Outcome, { type: "pending" }> & { readonly token: ApprovalToken };

export type Finish = (receipt: { readonly approvalId: string; readonly claimId: string } & Receipt) => Promise<Outcome>;

interface Around {
  readonly caller: Caller | undefined;
  readonly card: Ready["card"];
  readonly finish: Finish;
}

const MAX_REPORTS = 3;

/** Runs exactly what was claimed, once, and reports how it ended. Without a report the record ends as unknown, and so does this. */
export async function runClaimed(tool: AnyTool | undefined, claim: Claim, around: Around): Promise<Outcome> {
  const { approvalId, claimId } = claim;
  const receipt = await attempt(tool, claim, around);
  for (let reports = 0; reports < MAX_REPORTS; reports++) {
    try {
      return await around.finish({ approvalId, claimId, ...receipt });
    } catch {
      // Tried again; a late receipt still counts.
    }
  }
  return unknown(approvalId);
}

async function attempt(tool: AnyTool | undefined, claim: Claim, { caller, card }: Around): Promise<Receipt> {
  const { approvalId, args, idempotencyKey, reportBy } = claim;
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), Math.max(0, Date.parse(reportBy) - Date.now()));
  try {
    if (tool?.execute === undefined) throw new Error(`there is no tool "${claim.tool}" here`);
    await checkUnchanged(tool, args);
    const value: unknown = await tool.execute(args, {
      approvalId,
      idempotencyKey,
      attempt: 1,
      signal: aborter.signal,
      userId: caller?.userId ?? card.requester.userId,
      workspaceId: caller?.workspaceId ?? "",
      sessionId: caller?.sessionId ?? card.sessionId,
      agentId: caller?.agentId ?? card.requester.agentId,
    });
    return { type: "succeeded", ...reportedResult(value) };
  } catch (error) {
    return { type: "failed", error: failureText(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** The server checked what it was told of the schema. What a person wrote into the arguments passes the real one, unchanged, or does not run (I3). */
async function checkUnchanged(tool: AnyTool, args: Claim["args"]): Promise<void> {
  const passed = await validateArgs(tool.name, tool.inputSchema, args);
  if (canonicalize(passed) !== canonicalize(args)) throw new Error("the tool's schema changes what was approved");
}
