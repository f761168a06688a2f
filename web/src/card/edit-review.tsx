import type { Card, JsonObject } from "countersign";
import type { ApprovalView } from "countersign/client";
import { useEffect, useRef } from "react";
import { useInbox } from "../inbox/inbox-provider.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { Risk } from "../ui/risk.js";
import { useWords } from "../words/words.js";
import { ApproveControl } from "./approve-control.js";
import { CardBody } from "./card-body.js";
import { blockedBy } from "./decision-bar.js";
import { useUnread } from "./reading.js";
import { useDecide } from "./use-decide.js";

interface EditReviewProps {
  readonly approval: ApprovalView;
  readonly before: Card;
  readonly edited: { readonly card: Card; readonly args: JsonObject };
  readonly onBack: () => void;
  readonly onDone: () => void;
}

/** The card as it would be, with its difference and its new tier. The same yes as for any other call of that tier. */
export function EditReview({ approval, before, edited: { card, args }, onBack, onDone }: EditReviewProps) {
  const words = useWords();
  const unread = useUnread();
  const { connection } = useInbox();
  const { send, sending, problem } = useDecide(approval);
  const top = useRef<HTMLDivElement>(null);
  // The form may have been scrolled, and its button that had the focus is hidden: here reading begins anew.
  useEffect(() => {
    top.current?.focus({ preventScroll: true });
    top.current?.closest("[role=dialog]")?.scrollTo(0, 0);
  }, []);
  const approve = async () => {
    if (await send({ decision: "approve", args, cardHash: card.cardHash }, card.riskTier)) onDone();
  };
  return (
    <div ref={top} tabIndex={-1} className="grid gap-5 outline-none">
      {card.riskTier === before.riskTier ? (
        <p className="text-sm text-muted">{words.edit.sameRisk}</p>
      ) : (
        <Alert tone="amber">
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {words.edit.newRisk}
            <Risk tier={before.riskTier} />
            <span aria-hidden="true">→</span>
            <Risk tier={card.riskTier} />
          </span>
        </Alert>
      )}
      <CardBody card={card} />
      {problem === undefined ? null : (
        <Alert tone="amber" urgent>
          {problem}
        </Alert>
      )}
      {sending === "passkey" ? <Alert>{words.decide.passkeyAsked}</Alert> : null}
      <div className="flex flex-wrap items-start justify-between gap-2">
        <Button onClick={onBack}>{words.edit.back}</Button>
        <div className="min-w-0 flex-1 max-sm:w-full max-sm:flex-none">
          <ApproveControl
            card={card}
            label={words.edit.approve}
            blocked={connection === "offline" ? words.decide.waitOffline : blockedBy(unread, words)}
            busy={sending !== "idle"}
            onApprove={() => void approve()}
          />
        </div>
      </div>
    </div>
  );
}
