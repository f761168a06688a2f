import { type Approval, stateAt } from "./approval.js";
import type { Caller } from "./call.js";
import type { Card } from "./card/card.js";
import { applyCancel } from "./decide.js";
import { type Engine, loadApproval, loadCall, transition } from "./engine.js";
import { CountersignError, isRefusal } from "./errors.js";
import type { Held } from "./hold.js";
import { latest } from "./locate.js";
import { isSensitive, maskArgs } from "./mask.js";
import { endedOutcome, type Outcome, pendingMessage, unknown } from "./outcome.js";
import { argsOf } from "./record.js";
import { tokenFor } from "./remote.js";
import { type Soon, whenThere } from "./soon.js";
import { diffJson } from "./text/diff.js";
import type { ApprovalToken } from "./token.js";
import { pastDue } from "./upkeep.js";
import { cardToDraw } from "./views.js";
import { type WaitOptions, waitFor } from "./wait.js";

/** What the requesting side is told of a record as it stands. */
export function answer(engine: Engine, known: Approval, asked: AskedHere = {}): Soon<Outcome> {
  const asItIs = known.replacedBy === undefined && isPresent(engine, known) && known.editors.length === 0;
  return asItIs ? (endedOutcome(known, []) ?? pending(engine, known, asked)) : answerLatest(engine, known, asked);
}

/** What is known of a record that was created a moment ago. */
type AskedHere = Pick<Held, "confirmationToken" | "call">;

async function answerLatest(engine: Engine, known: Approval, asked: AskedHere): Promise<Outcome> {
  const current = await latest(engine, known);
  const approval = isPresent(engine, current) ? current : await present(engine, current);
  const ended = approval.editors.length > 0 ? await endedEdited(engine, approval) : endedOutcome(approval, []);
  return ended ?? pending(engine, approval, asked);
}

/** People changed it on the way: the agent is told what. */
async function endedEdited(engine: Engine, approval: Approval): Promise<Outcome | undefined> {
  const call = await loadCall(engine, approval);
  if (call?.proposed === undefined) return endedOutcome(approval, []);
  // An agent is told that a person changed a secret, not to what.
  const { sensitive = [], proposed } = call;
  const masked = [proposed, argsOf(call)].map((args) => maskArgs(args, sensitive, engine.mask));
  const changes = diffJson(masked[0] ?? {}, masked[1] ?? {});
  return endedOutcome(approval, changes, (path) => isSensitive(sensitive, path));
}

function pending(engine: Engine, approval: Approval, { confirmationToken, call }: AskedHere): Soon<Outcome> {
  return whenThere(cardToDraw(engine, approval, call), (card) => {
    if (card === undefined) throw new CountersignError("not_found", "The call of this approval is gone.");
    const token = approval.state === "approved" && !approval.hosted ? tokenFor(engine, approval) : undefined;
    return whenThere(token, (minted) => pendingOutcome(approval, card.draw, confirmationToken, minted));
  });
}

function pendingOutcome(
  approval: Approval,
  drawCard: () => Card,
  confirmationToken: string | undefined,
  token: ApprovalToken | undefined,
): Outcome {
  let card: Card | undefined;
  return {
    type: "pending",
    code: "TOOL_BLOCKED_PENDING_APPROVAL",
    approvalId: approval.approvalId,
    message: pendingMessage(approval),
    expiresAt: new Date(approval.decideBy).toISOString(),
    // Drawn when it is looked at: most agents never do, and drawing costs more than storing.
    get card() {
      card ??= drawCard();
      return card;
    },
    ...(confirmationToken === undefined ? {} : { confirmationToken }),
    ...(token === undefined ? {} : { token }),
  };
}

/** Time has decided nothing about it that is not written down. */
function isPresent(engine: Engine, approval: Approval): boolean {
  return stateAt(approval, engine.store.time()) === approval.state;
}

/** The record with what time has already decided written down. */
async function present(engine: Engine, approval: Approval): Promise<Approval> {
  await pastDue(engine, approval);
  return (await loadApproval(engine, approval.approvalId)) ?? approval;
}

/** Waits for the end, or for the moment a call that runs elsewhere may be claimed, and tells what it came to. */
export async function settled(
  engine: Engine,
  known: Approval,
  caller: Caller,
  options: WaitOptions,
  confirmationToken?: string,
): Promise<Outcome> {
  const reached = await waitFor(engine, known, isSettled, options);
  switch (reached.type) {
    case "reached": {
      const { approval } = reached;
      const current = approval.replacedBy === undefined ? approval : await latest(engine, approval);
      return current === approval ? answer(engine, approval) : settled(engine, current, caller, options);
    }
    case "lost":
      return unknown(known.approvalId);
    case "closed":
      throw new CountersignError(
        "closed",
        "This gate was closed while the call waited. It lives on; resume it later.",
        {
          approvalId: known.approvalId,
        },
      );
    case "aborted": {
      const withdrawn = await transition(engine, known.approvalId, (current, now) =>
        applyCancel(current, caller.userId, "the caller gave up", now),
      );
      return answer(engine, isRefusal(withdrawn) ? await fresh(engine, known) : withdrawn);
    }
    case "deadline":
      return answer(engine, await fresh(engine, known), confirmationToken === undefined ? {} : { confirmationToken });
    default:
      return reached satisfies never;
  }
}

function isSettled(approval: Approval): boolean {
  return endedOutcome(approval, []) !== undefined || (approval.state === "approved" && !approval.hosted);
}

async function fresh(engine: Engine, known: Approval): Promise<Approval> {
  return (await loadApproval(engine, known.approvalId)) ?? known;
}
