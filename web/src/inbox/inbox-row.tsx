import type { RiskTier } from "countersign";
import type { ApprovalView } from "countersign/client";
import { memo, type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";
import { Countdown } from "../card/countdown.js";
import { useStateText } from "../card/stamp.js";
import { agentOf } from "../shell/names.js";
import { visible } from "../ui/json-text.js";
import { RISK_COLOURS, RiskShape } from "../ui/risk.js";
import { useWords } from "../words/words.js";
import type { Group } from "./groups.js";

/** Present on the row that takes the focus, once; called when it has. */
type Land = (() => void) | undefined;

interface InboxRowProps {
  readonly approval: ApprovalView;
  readonly current: boolean;
  readonly land: Land;
}

/** What waits has its shape in colour and its time; what is decided has its outcome, quietly. */
export const InboxRow = memo(function InboxRow({ approval, current, land }: InboxRowProps) {
  const { approvalId, card, state, riskTier } = approval;
  const textOf = useStateText();
  const waits = state === "pending";
  return (
    <Row href={`/approvals/${approvalId}`} current={current} land={land} tier={riskTier} quiet={!waits}>
      <span className={`isolate-text line-clamp-2 ${waits ? "font-medium" : ""}`}>
        {card?.humanSummary ?? visible(approval.tool)}
      </span>
      {waits ? (
        <Facts tier={riskTier} agent={agentOf(approval)} until={approval.expiresAt} />
      ) : (
        <span className="isolate-text block truncate text-sm">{textOf(approval)}</span>
      )}
    </Row>
  );
});

interface GroupRowProps {
  readonly group: Group;
  readonly current: boolean;
  readonly land: Land;
}

export const GroupRow = memo(function GroupRow({ group: { id, members }, current, land }: GroupRowProps) {
  const words = useWords();
  const [first] = members;
  if (first === undefined) return null;
  const soonest = members.map(({ expiresAt }) => expiresAt).reduce((a, b) => (a < b ? a : b));
  const { card, riskTier } = first;
  return (
    <Row href={`/group/${id}`} current={current} land={land} tier={riskTier}>
      <span className="isolate-text block font-medium">
        {words.inbox.group(members.length, card?.title ?? card?.tool ?? visible(first.tool))}
      </span>
      <span className="isolate-text block truncate text-sm text-muted">
        {members.map((member) => member.card?.humanSummary).join(" · ")}
      </span>
      <Facts tier={riskTier} agent={agentOf(first)} until={soonest} />
    </Row>
  );
});

interface RowProps {
  readonly href: string;
  readonly current: boolean;
  readonly land: Land;
  readonly tier: RiskTier;
  readonly quiet?: boolean;
  readonly children: ReactNode;
}

/** The shape stands in a margin of its own, so that a column of rows can be scanned by it. */
function Row({ href, current, land, tier, quiet = false, children }: RowProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (land === undefined) return;
    link.current?.focus();
    land();
  }, [land]);
  return (
    <Link
      ref={link}
      href={href}
      aria-current={current ? "true" : undefined}
      className={`flex gap-2.5 px-5 py-3 md:px-4 focus-visible:outline-offset-[-2px] ${current ? "bg-sheet shadow-[inset_3px_0_0_var(--accent)]" : "hover:bg-wash"} ${quiet ? "text-muted" : ""}`}
    >
      <span className={`pt-1 ${quiet ? "opacity-50" : ""}`}>
        <RiskShape tier={tier} />
      </span>
      <span className="min-w-0 flex-1">{children}</span>
    </Link>
  );
}

function Facts({ tier, agent, until }: { readonly tier: RiskTier; readonly agent: string; readonly until: string }) {
  const words = useWords();
  return (
    <span className="mt-0.5 flex items-baseline justify-between gap-3 text-sm text-muted">
      <span className="isolate-text truncate">
        <span className={`font-medium ${RISK_COLOURS[tier]}`}>{words.risk[tier]}</span> · {agent}
      </span>
      <Countdown until={until} />
    </span>
  );
}
