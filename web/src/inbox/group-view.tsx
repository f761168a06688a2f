import type { ApprovalView } from "countersign/client";
import { useState } from "react";
import { Link } from "wouter";
import { decideAll } from "../api/approvals.js";
import { Countdown } from "../card/countdown.js";
import { ReadingProvider, SeenMark, useUnread } from "../card/reading.js";
import { useStateText } from "../card/stamp.js";
import { useArmed } from "../card/use-armed.js";
import { Value } from "../card/value-tree.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { problemText } from "../ui/problem.js";
import { Risk } from "../ui/risk.js";
import { useWords } from "../words/words.js";
import { type Group, oddOnes } from "./groups.js";
import { useInbox } from "./inbox-provider.js";

/** Similar questions under each other. The set is fixed when it is opened: what joins later is not in it. */
export function GroupView({ group }: { readonly group: Group | undefined }) {
  const { state } = useInbox();
  const [ids, setIds] = useState<readonly string[]>();
  if (ids === undefined && group !== undefined) setIds(group.members.map(({ approvalId }) => approvalId));
  const members = (ids ?? []).flatMap((id) => state.items.get(id) ?? []);
  const [first] = members;
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

function Members({ members }: { readonly members: readonly ApprovalView[] }) {
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
            <li key={approval.approvalId}>
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
  const text = useStateText(approval);
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
          <strong className="text-ink">{text}</strong>
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
              <dd className="min-w-0">
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

/** Only what can be shown completely here can be answered here. */
function isWhole({ card, riskTier }: ApprovalView): boolean {
  return card?.complete === true && riskTier !== "R4";
}

function GroupBar({ members }: { readonly members: readonly ApprovalView[] }) {
  const words = useWords();
  const { refresh, connection } = useInbox();
  const unread = useUnread();
  const open = members.filter((approval) => approval.state === "pending" && isWhole(approval));
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<string>();
  const armed = useArmed(`${open.map(({ toolCallHash }) => toolCallHash).join()}${String(asked)}`);
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
      const { results } = await decideAll(
        open.map(({ approvalId, toolCallHash, card }) => ({
          approvalId,
          decision,
          toolCallHash,
          ...(card === undefined ? {} : { cardHash: card.cardHash }),
        })),
      );
      setSaid(words.group.result(results.filter((result) => "state" in result).length, results.length));
    } catch (error) {
      setSaid(problemText(error, words));
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
      className="grid gap-2 border-t border-line px-5 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:px-8"
      role="group"
      aria-label={words.decide.bar}
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
