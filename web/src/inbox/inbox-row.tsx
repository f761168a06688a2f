import type { ApprovalView } from "countersign/client";
import { Link } from "wouter";
import { Countdown } from "../card/countdown.js";
import { useStateText } from "../card/stamp.js";
import { visible } from "../ui/json-text.js";
import { Risk, RiskShape } from "../ui/risk.js";
import { useWords } from "../words/words.js";
import type { Group } from "./groups.js";

const ROW = "block px-4 py-3 hover:bg-wash focus-visible:outline-offset-[-2px]";
const CURRENT = "bg-sheet shadow-[inset_3px_0_0_var(--accent)]";

interface InboxRowProps {
  readonly approval: ApprovalView;
  readonly current: boolean;
}

/** What waits has its shape in colour and its time; what is decided has its outcome, quietly. */
export function InboxRow({ approval, current }: InboxRowProps) {
  const words = useWords();
  const { approvalId, card, state, riskTier, requester } = approval;
  const outcome = useStateText(approval);
  const waits = state === "pending";
  return (
    <Link
      href={`/approvals/${approvalId}`}
      aria-current={current ? "true" : undefined}
      className={`${ROW} ${current ? CURRENT : ""} ${waits ? "" : "text-muted"}`}
      data-approval={approvalId}
    >
      <span className="flex gap-2">
        <span className="pt-1">
          <RiskShape tier={riskTier} />
        </span>
        <span className="min-w-0 flex-1">
          <span className={`isolate-text line-clamp-2 ${waits ? "font-medium" : ""}`}>
            {card?.humanSummary ?? visible(approval.tool)}
          </span>
          <span className="mt-0.5 flex items-baseline justify-between gap-2 text-sm text-muted">
            <span className="isolate-text truncate">
              <span className="sr-only">{words.risk[riskTier]}. </span>
              {waits ? (card?.requester.agentId ?? visible(requester.agentId)) : outcome}
            </span>
            {waits ? <Countdown until={approval.expiresAt} /> : null}
          </span>
        </span>
      </span>
    </Link>
  );
}

interface GroupRowProps {
  readonly group: Group;
  readonly current: boolean;
}

export function GroupRow({ group: { id, members }, current }: GroupRowProps) {
  const words = useWords();
  const [first] = members;
  if (first === undefined) return null;
  const soonest = members.map(({ expiresAt }) => expiresAt).reduce((a, b) => (a < b ? a : b));
  return (
    <Link
      href={`/group/${id}`}
      aria-current={current ? "true" : undefined}
      className={`${ROW} ${current ? CURRENT : ""}`}
    >
      <span className="isolate-text block font-medium">
        {words.inbox.group(members.length, first.card?.title ?? first.card?.tool ?? visible(first.tool))}
      </span>
      <span className="isolate-text line-clamp-1 text-sm text-muted">
        {members.map(({ card }) => card?.humanSummary).join(" · ")}
      </span>
      <span className="mt-0.5 flex items-baseline justify-between gap-2 text-sm text-muted">
        <Risk tier={first.riskTier} />
        <Countdown until={soonest} />
      </span>
    </Link>
  );
}
