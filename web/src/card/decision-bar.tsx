import type { Card } from "countersign";
import type { ApprovalView } from "countersign/client";
import { type RefObject, useState } from "react";
import { Link } from "wouter";
import { act } from "../api/approvals.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { useMe } from "../shell/session.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { useNotice } from "../ui/notice.js";
import { problemText } from "../ui/problem.js";
import { useWords, type Words } from "../words/words.js";
import { actOf } from "./act.js";
import { ApproveControl } from "./approve-control.js";
import { DenyPanel } from "./deny-panel.js";
import { EditDialog } from "./edit-dialog.js";
import { LessDialog } from "./less-dialog.js";
import { MoreMenu } from "./more-menu.js";
import { type Unread, useUnread } from "./reading.js";
import { useDecide } from "./use-decide.js";

export type Panel = "deny" | "edit" | "less" | undefined;

interface DecisionBarProps {
  readonly approval: ApprovalView;
  readonly card: Card;
  readonly panel: Panel;
  readonly setPanel: (panel: Panel) => void;
  readonly approveRef: RefObject<HTMLButtonElement | null>;
}

/** Deny left, the act right, and between them the ways around a plain yes or no. */
export function DecisionBar({ approval, card, panel, setPanel, approveRef }: DecisionBarProps) {
  const words = useWords();
  const { userId, passkeys } = useMe();
  const { connection } = useInbox();
  const unread = useUnread();
  const [asking, setAsking] = useState(false);
  const { send, sending, problem, passkeyFor } = useDecide(approval);
  const own = approval.requester.userId === userId;
  const busy = sending !== "idle";
  const close = () => setPanel(undefined);
  if (panel === "deny") {
    return (
      <DenyPanel
        card={card}
        own={own}
        busy={busy}
        problem={problem}
        onBack={close}
        onDeny={(reason) => void send({ decision: "deny", ...(reason === "" ? {} : { reason }) })}
      />
    );
  }
  if (approval.votes.some((vote) => vote.userId === userId)) return <Counted approval={approval} />;
  const blocked = connection === "offline" ? words.decide.waitOffline : blockedBy(unread, words);
  return (
    <div className="grid gap-2">
      {problem === undefined ? null : (
        <Alert tone="amber" urgent>
          {problem}
        </Alert>
      )}
      {sending === "passkey" ? <Alert>{words.decide.passkeyAsked}</Alert> : null}
      <Assurance approval={approval} passkeys={passkeys} asksPasskey={passkeyFor(approval.riskTier)} />
      <div className="flex items-start justify-between gap-x-4 gap-y-2 max-sm:flex-wrap">
        {asking ? null : (
          <div className="flex shrink-0 gap-2 max-sm:w-full max-sm:justify-between">
            <Button onClick={() => setPanel("deny")} disabled={busy}>
              {own ? words.decide.cancel : words.decide.deny}
            </Button>
            <Button kind="plain" className="max-sm:px-2" onClick={() => setPanel("edit")} disabled={busy}>
              {words.decide.edit}
            </Button>
            {card.riskTier === "R4" ? null : (
              <Button kind="plain" className="max-sm:px-2" onClick={() => setPanel("less")} disabled={busy}>
                {words.decide.less}
              </Button>
            )}
            <MoreMenu approval={approval} />
          </div>
        )}
        <div className="min-w-0 flex-1 max-sm:w-full max-sm:flex-none">
          <ApproveControl
            key={card.cardHash}
            card={card}
            label={actOf(card, own, words)}
            blocked={blocked}
            busy={busy}
            buttonRef={approveRef}
            onAsking={setAsking}
            onApprove={() => void send({ decision: "approve", cardHash: card.cardHash })}
          />
        </div>
      </div>
      <EditDialog approval={approval} card={card} open={panel === "edit"} onClose={close} />
      <LessDialog
        approval={approval}
        card={card}
        blocked={blocked === undefined || connection === "offline" ? blocked : words.less.first}
        open={panel === "less"}
        onClose={close}
      />
    </div>
  );
}

/** One of several who have to say yes has said it: it can be taken back for as long as the others are awaited. */
function Counted({ approval }: { readonly approval: ApprovalView }) {
  const words = useWords();
  const tell = useNotice();
  const { refresh } = useInbox();
  const [busy, setBusy] = useState(false);
  const takeBack = async () => {
    setBusy(true);
    await act(approval.approvalId, "withdraw").catch((error: unknown) => tell(problemText(error, words)));
    await refresh(approval.approvalId);
    setBusy(false);
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <p>{words.state.counted(approval.votes.length, approval.audience.quorum)}</p>
      <span className="ml-auto flex gap-2">
        <MoreMenu approval={approval} />
        <Button disabled={busy} onClick={() => void takeBack()}>
          {words.state.withdraw}
        </Button>
      </span>
    </div>
  );
}

/** Approving waits until everything was on the screen, and says what is missing. */
export function blockedBy({ fields, folded, end }: Unread, words: Words): string | undefined {
  if (folded > 0) return words.decide.waitLong(folded);
  if (fields > 0) return words.decide.waitFields(fields);
  return end ? words.decide.waitEnd : undefined;
}

interface AssuranceProps {
  readonly approval: ApprovalView;
  readonly passkeys: number;
  readonly asksPasskey: boolean;
}

function Assurance({ approval: { audience, riskTier }, passkeys, asksPasskey }: AssuranceProps) {
  const words = useWords();
  // Whoever has none is shown the way to one, instead of a refusal afterwards.
  const add =
    passkeys > 0 ? null : (
      <Link href="/settings/security" className="whitespace-nowrap text-accent underline">
        {words.signIn.addPasskey}
      </Link>
    );
  const needed = audience.assurance === undefined ? undefined : words.card.assurance[audience.assurance];
  return (
    <>
      {needed === undefined ? null : (
        <p className="text-sm text-muted">
          {words.card.needs(needed)} {audience.assurance === "passkey_over_hash" ? add : null}
        </p>
      )}
      {asksPasskey ? <p className="text-sm text-muted">{words.decide.withPasskey}</p> : null}
      {riskTier === "R4" && passkeys === 0 ? (
        <p className="text-sm text-amber">
          {words.card.weakProof} {add}
        </p>
      ) : null}
    </>
  );
}
