import type { ApprovalView } from "countersign/client";
import { useState } from "react";
import { Link } from "wouter";
import { act, settle } from "../api/approvals.js";
import { useTool } from "../api/tools.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { useNames } from "../shell/names.js";
import { useMe } from "../shell/session.js";
import { useFormats } from "../shell/time.js";
import { Button } from "../ui/button.js";
import { JsonText, visible } from "../ui/json-text.js";
import { Lid } from "../ui/lid.js";
import { useNotice } from "../ui/notice.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { Stamp, useStateText } from "./stamp.js";

interface OutcomeProps {
  readonly approval: ApprovalView;
  /** How it is shown: by the clock of this page it may be over a moment before the server says so. */
  readonly state: ApprovalView["state"];
}

/** What became of it, and what can still be done. It stays until somebody puts it away. */
export function Outcome({ approval, state }: OutcomeProps) {
  const words = useWords();
  const { resolution, execution } = approval;
  const { putAway, state: inbox } = useInbox();
  const textOf = useStateText();
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <Stamp state={state} />
        <div className="min-w-0 flex-1">
          <p className="isolate-text font-medium">{textOf({ ...approval, state })}</p>
          <Decider approval={approval} />
          {resolution?.reason === undefined ? null : (
            <p className="isolate-text text-sm text-muted">{words.state.because(visible(resolution.reason))}</p>
          )}
        </div>
      </div>
      {execution?.withheld === true ? <p className="text-sm">{words.state.withheld}</p> : null}
      {execution?.result === undefined ? null : (
        <details className="rounded border border-line">
          <Lid className="px-3 py-2 text-sm">{words.state.result}</Lid>
          <JsonText value={execution.result} />
        </details>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Link href={`/audit/${approval.approvalId}`} className="self-center px-3 text-accent underline">
          {words.card.timeline}
        </Link>
        <After approval={approval} />
        {inbox.order.includes(approval.approvalId) ? (
          <Button onClick={() => putAway([approval.approvalId])}>{words.inbox.dismiss}</Button>
        ) : null}
      </div>
    </div>
  );
}

/** Who was first, and where: whoever comes later with another answer sees why it does not count. */
function Decider({ approval: { resolution, state } }: { readonly approval: ApprovalView }) {
  const words = useWords().state;
  const formats = useFormats();
  const { userId } = useMe();
  const nameOf = useNames();
  if (resolution?.by === undefined || (resolution.type !== "approved" && resolution.type !== "denied")) return null;
  if (resolution.type === "denied" && state !== "denied") return null;
  const { type, by, byName, surface, at } = resolution;
  const known = surface !== undefined && Object.hasOwn(words.places, surface) ? words.places[surface] : undefined;
  const place = known ?? (surface === undefined ? "" : words.channel(visible(surface)));
  return (
    <p className="isolate-text text-sm text-muted">
      {words.decided[type](by === userId ? words.you : nameOf(by, byName), place, formats.moment(at))}
    </p>
  );
}

function After({ approval }: { readonly approval: ApprovalView }) {
  const words = useWords();
  const tell = useNotice();
  const { refresh, reload } = useInbox();
  const { approvalId, state, execution } = approval;
  const undoable = useTool(approval.tool)?.can.undo === true;
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown>, said?: string) => {
    setBusy(true);
    try {
      await work();
      if (said !== undefined) tell(said);
      await refresh(approvalId);
      reload();
    } catch (error) {
      tell(problemText(error, words));
    } finally {
      setBusy(false);
    }
  };
  const button = (label: string, work: () => Promise<unknown>, said?: string) => (
    <Button disabled={busy} onClick={() => void run(work, said)}>
      {label}
    </Button>
  );
  return (
    <>
      {state === "succeeded" && undoable && execution?.withheld !== true
        ? button(words.state.undo, () => act(approvalId, "undo"), words.state.undoAsked)
        : null}
      {execution?.withheld === true ? button(words.state.release, () => act(approvalId, "release")) : null}
      {state === "expired" && approval.replacedBy === undefined
        ? button(words.state.askAgain, () => act(approvalId, "ask-again"), words.state.askedAgain)
        : null}
      {state === "approved" ? button(words.state.withdraw, () => act(approvalId, "withdraw")) : null}
      {state === "denied"
        ? button(words.state.liftDenial, () => act(approvalId, "lift-denial"), words.state.lifted)
        : null}
      {state === "unknown" ? (
        <>
          {button(words.state.settleNot, () => settle(approvalId, { type: "failed", error: words.state.settleNot }))}
          {button(words.state.settleDone, () => settle(approvalId, { type: "succeeded" }))}
        </>
      ) : null}
    </>
  );
}
