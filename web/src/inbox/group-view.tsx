import type { ApprovalView } from "countersign/client";
import { useState } from "react";
import { Link, Redirect } from "wouter";
import { Countdown } from "../card/countdown.js";
import { ReadingProvider, SeenMark } from "../card/reading.js";
import { useStateText } from "../card/stamp.js";
import { Value } from "../card/value-tree.js";
import { Alert } from "../ui/alert.js";
import { Risk } from "../ui/risk.js";
import { useWords } from "../words/words.js";
import { GroupBar, isWhole } from "./group-bar.js";
import { type Group, oddOnes } from "./groups.js";
import { useInbox } from "./inbox-provider.js";

interface GroupViewProps {
  /** The question that the address names. */
  readonly id: string;
  readonly group: Group | undefined;
}

/** Similar questions under each other. The set is fixed when it is opened: what joins later is not in it. */
export function GroupView({ id, group }: GroupViewProps) {
  const { state } = useInbox();
  const [ids, setIds] = useState<readonly string[]>();
  if (ids === undefined && group !== undefined) setIds(group.members.map(({ approvalId }) => approvalId));
  const members = (ids ?? []).flatMap((each) => state.items.get(each) ?? []);
  const [first] = members;
  // The others are answered since the address was kept: the question stands alone.
  if (ids === undefined && group === undefined && state.loaded) return <Redirect to={`/approvals/${id}`} replace />;
  if (first === undefined) return null;
  return (
    <ReadingProvider>
      <div className="flex h-full min-h-0 flex-col">
        <Members members={members} />
        <GroupBar members={members} />
      </div>
    </ReadingProvider>
  );
}

/** Each one whole, and which of them is the odd one out. */
export function Members({ members }: { readonly members: readonly ApprovalView[] }) {
  const words = useWords();
  const odd = oddOnes(members);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-5 py-5 sm:px-8" data-scroll>
      <div className="mx-auto max-w-[720px]">
        <h2 className="text-[22px]/[30px] font-semibold">{words.group.title(members.length)}</h2>
        {members[0] === undefined ? null : <Risk tier={members[0].riskTier} />}
        <p className="mt-1 mb-4 text-muted">{words.group.lead}</p>
        <ul className="grid gap-3">
          {members.map((approval) => (
            // Changed meanwhile, it is another one: to be seen again.
            <li key={`${approval.approvalId}${approval.toolCallHash}`}>
              <Member approval={approval} odd={odd.get(approval.approvalId)} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

interface MemberProps {
  readonly approval: ApprovalView;
  /** The argument in which it alone differs from all others. */
  readonly odd: string | undefined;
}

function Member({ approval, odd }: MemberProps) {
  const words = useWords();
  const textOf = useStateText();
  const { card } = approval;
  if (card === undefined) return null;
  return (
    <article className="rounded border border-line bg-sheet p-4" aria-label={card.humanSummary}>
      <div className="flex items-start justify-between gap-3">
        <h3 className="isolate-text font-semibold">{card.humanSummary}</h3>
        <Link href={`/approvals/${approval.approvalId}`} className="shrink-0 text-sm text-accent underline">
          {words.group.open}
        </Link>
      </div>
      <p className="isolate-text mb-2 flex flex-wrap justify-between gap-2 text-sm text-muted">
        <span>{card.asks}</span>
        {approval.state === "pending" ? (
          <Countdown until={approval.expiresAt} />
        ) : (
          <strong className="text-ink">{textOf(approval)}</strong>
        )}
      </p>
      {odd === undefined ? null : (
        <Alert tone="amber">
          {words.group.odd}: <bdi className="font-mono">{odd}</bdi>
        </Alert>
      )}
      {isWhole(approval) ? (
        <dl className="divide-y divide-line">
          {card.arguments.map(({ key, label, value }) => (
            <div key={key} className="grid gap-x-4 py-1 sm:grid-cols-[7rem_1fr]">
              <dt className="isolate-text text-sm text-muted">{label}</dt>
              <dd className="min-w-0 text-sm/[1.375rem]">
                <Value value={value} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <Alert tone="amber">{words.group.alone}</Alert>
      )}
      <SeenMark kind="field" />
    </article>
  );
}
