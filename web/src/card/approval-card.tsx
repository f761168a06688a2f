import type { Card } from "countersign";
import type { ApprovalView } from "countersign/client";
import { type RefObject, useEffect, useState } from "react";
import { useInbox } from "../inbox/inbox-provider.js";
import { useNames } from "../shell/names.js";
import { useIsOver } from "../shell/time.js";
import { useWords } from "../words/words.js";
import { CardBody } from "./card-body.js";
import { Countdown } from "./countdown.js";
import { DecisionBar, type Panel } from "./decision-bar.js";
import { Outcome } from "./outcome.js";
import { ReadingProvider } from "./reading.js";

interface ApprovalCardProps {
  readonly approval: ApprovalView;
  readonly panel: Panel;
  readonly setPanel: (panel: Panel) => void;
  readonly approveRef: RefObject<HTMLButtonElement | null>;
  /** In a conversation it grows with its content; in the inbox it scrolls above its bar. */
  readonly inline?: boolean;
}

/** One approval: who asks, the card, and below it the bar or what became of it. */
export function ApprovalCard({ approval, panel, setPanel, approveRef, inline = false }: ApprovalCardProps) {
  const words = useWords();
  const { refresh } = useInbox();
  const { card, state, approvalId } = approval;
  const isTimeUp = useIsOver(approval.expiresAt);
  const isOver = state === "pending" && isTimeUp;
  // The server says what time has made of it; until it does, nobody can answer here.
  const moving = isOver || state === "executing" || state === "approved";
  useEffect(() => {
    if (!moving) return;
    if (isOver) void refresh(approvalId);
    const timer = setInterval(() => void refresh(approvalId), 2_000);
    return () => clearInterval(timer);
  }, [moving, isOver, approvalId, refresh]);
  if (card === undefined) return <UnreadCard approvalId={approvalId} />;
  const bar =
    state === "pending" && !isOver ? (
      <DecisionBar approval={approval} card={card} panel={panel} setPanel={setPanel} approveRef={approveRef} />
    ) : (
      <Outcome approval={approval} state={isOver ? "expired" : state} />
    );
  return (
    <article
      className={`outline-none ${inline ? "" : "flex h-full min-h-0 flex-col"}`}
      aria-label={card.humanSummary}
      tabIndex={-1}
    >
      <ReadingProvider>
        {/* Another revision is another text, read from its beginning; what somebody types below it stays theirs. */}
        <div
          key={card.toolCallHash}
          className={inline ? "p-4" : "min-h-0 flex-1 overflow-y-auto sm:px-6 sm:py-6"}
          data-scroll
          tabIndex={-1}
        >
          <div className={inline ? "" : "sheet mx-auto max-w-[720px]"}>
            <Asks card={card} approval={approval} />
            <CardBody card={card} approvalId={approvalId} />
          </div>
        </div>
        <div
          className={`border-t border-line bg-paper pt-3 outline-offset-[-3px] pb-[max(0.75rem,env(safe-area-inset-bottom))] ${inline ? "px-4" : "px-5 sm:px-6"}`}
          role="group"
          aria-label={words.decide.bar}
          tabIndex={-1}
        >
          <div className="mx-auto max-w-[720px]">{bar}</div>
        </div>
      </ReadingProvider>
    </article>
  );
}

/** A long call's card is read when somebody opens it. */
function UnreadCard({ approvalId }: { readonly approvalId: string }) {
  const words = useWords();
  const { readWhole } = useInbox();
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    let isHere = true;
    void readWhole(approvalId).then(() => isHere && setRead(true));
    return () => {
      isHere = false;
    };
  }, [approvalId, readWhole]);
  return (
    <p role="status" className="p-6 text-muted">
      {isRead ? words.card.gone : words.common.loading}
    </p>
  );
}

function Asks({ card, approval }: { readonly card: Card; readonly approval: ApprovalView }) {
  const words = useWords().card;
  const nameOf = useNames();
  return (
    <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm text-muted">
      <div className="min-w-0">
        <span className="isolate-text">{card.asks}</span>
        {card.requester.lineage.length === 0 ? null : (
          <span className="isolate-text block">
            {words.lineage} {card.requester.lineage.join(" › ")}
          </span>
        )}
      </div>
      {approval.state === "pending" ? <Countdown until={approval.expiresAt} /> : null}
      {approval.handedTo === undefined ? null : (
        <span className="isolate-text w-full">
          {words.handed(
            nameOf(approval.handedTo.by, approval.handedTo.byName),
            nameOf(approval.handedTo.userId, approval.handedTo.userName),
          )}
        </span>
      )}
      {card.quorum > 1 ? (
        <span className="w-full">
          {words.quorum(approval.votes.length, card.quorum)}
          {approval.votes.length === 0 ? null : (
            <span className="isolate-text">
              {" "}
              {words.who(approval.votes.map(({ userId, userName }) => nameOf(userId, userName)).join(", "))}
            </span>
          )}
        </span>
      ) : null}
    </div>
  );
}
