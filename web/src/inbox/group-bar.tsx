import type { ApprovalView } from "countersign/client";
import { useState } from "react";
import { decideAll } from "../api/approvals.js";
import { useUnread } from "../card/reading.js";
import { useArmed } from "../card/use-armed.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { useIsCovered } from "../ui/covered.js";
import { decisionProblem } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { useInbox } from "./inbox-provider.js";

/** Only what can be shown completely here can be answered here. */
export function isWhole({ card, riskTier }: ApprovalView): boolean {
  return card?.complete === true && riskTier !== "R4";
}

/** One answer to all that were shown; what leaves the system is asked twice. */
export function GroupBar({ members }: { readonly members: readonly ApprovalView[] }) {
  const words = useWords();
  const { refresh, connection } = useInbox();
  const unread = useUnread();
  const open = members.filter((approval) => approval.state === "pending" && isWhole(approval));
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<string>();
  const isCovered = useIsCovered();
  const shown = `${open.map(({ toolCallHash }) => toolCallHash).join()}${String(asked)}`;
  const armed = useArmed(isCovered ? "" : shown);
  const tier = members[0]?.riskTier ?? "R0";
  const unseen = unread.fields + unread.folded;
  const why =
    connection === "offline"
      ? words.decide.waitOffline
      : unseen > 0
        ? words.group.unseen(unseen)
        : armed
          ? undefined
          : words.decide.waitRead;
  const send = async (decision: "approve" | "deny") => {
    setBusy(true);
    setAsked(false);
    try {
      const results = await decideAll(
        open.map(({ approvalId, toolCallHash, card }) => ({
          approvalId,
          decision,
          toolCallHash,
          ...(card === undefined ? {} : { cardHash: card.cardHash }),
        })),
      );
      setSaid(words.group.result(results.filter((result) => "state" in result).length, results.length));
    } catch (error) {
      setSaid(decisionProblem(error, words));
    } finally {
      await Promise.all(open.map(({ approvalId }) => refresh(approvalId)));
      setBusy(false);
    }
  };
  const inert = busy || why !== undefined;
  const approve = () => {
    if (inert) return;
    if (tier >= "R3" && !asked) setAsked(true);
    else void send("approve");
  };
  return (
    <div
      className="grid gap-2 border-t border-line px-5 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] outline-offset-[-3px] sm:px-8"
      role="group"
      aria-label={words.decide.bar}
      tabIndex={-1}
    >
      <div className="mx-auto grid w-full max-w-[720px] gap-2">
        {said === undefined ? null : <Alert urgent>{said}</Alert>}
        {open.length === 0 ? null : (
          <div className="flex flex-wrap items-start justify-between gap-2">
            {asked ? (
              <Button onClick={() => setAsked(false)}>{words.common.back}</Button>
            ) : (
              <Button disabled={busy} onClick={() => void send("deny")}>
                {words.group.deny(open.length)}
              </Button>
            )}
            <div className="grid gap-1">
              <Button
                key={String(asked)}
                kind="filled"
                aria-disabled={inert}
                aria-describedby="group-why"
                onClick={approve}
              >
                {asked ? words.group.approveTwice(open.length) : words.group.approve(open.length)}
              </Button>
              <p id="group-why" className="min-h-5 text-right text-sm text-muted">
                {why}
              </p>
            </div>
          </div>
        )}
      </div>
    </div>
  );
}
