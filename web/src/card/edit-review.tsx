import type { Card, JsonObject } from "countersign";
import type { ApprovalView } from "countersign/client";
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
  const approve = async () => {
    if (await send({ decision: "approve", args, cardHash: card.cardHash }, card.riskTier)) onDone();
  };
  return (
    <div className="grid gap-5">
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
        <ApproveControl
          card={card}
          label={words.edit.approve}
          blocked={connection === "offline" ? words.decide.waitOffline : blockedBy(unread, words)}
          busy={sending !== "idle"}
          onApprove={() => void approve()}
        />
      </div>
    </div>
  );
}
