import { useQuery } from "@tanstack/react-query";
import type { Card } from "countersign";
import type { ApprovalView, GrantSuggestion } from "countersign/client";
import { RadioGroup } from "radix-ui";
import { useState } from "react";
import { Link } from "wouter";
import { suggestions } from "../api/approvals.js";
import { usePreferences } from "../shell/preferences.js";
import { Alert } from "../ui/alert.js";
import { Dialog } from "../ui/dialog.js";
import { visible } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { ApproveControl } from "./approve-control.js";
import { useDecide } from "./use-decide.js";

interface LessDialogProps {
  readonly approval: ApprovalView;
  readonly card: Card;
  readonly blocked: string | undefined;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** At most three sentences, fitted to this very call. Nothing is chosen until somebody chooses. */
export function LessDialog({ open, ...offer }: LessDialogProps) {
  const words = useWords();
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => isOpen || offer.onClose()}
      title={words.less.title}
      lead={words.less.lead}
    >
      <Offer key={offer.approval.toolCallHash} {...offer} />
    </Dialog>
  );
}

function Offer({ approval, card, blocked, onClose }: Omit<LessDialogProps, "open">) {
  const words = useWords();
  const { locale } = usePreferences();
  const [chosen, setChosen] = useState<string>("");
  const { send, sending, problem } = useDecide(approval);
  const offered = useQuery({
    queryKey: ["grant-suggestions", approval.approvalId, approval.toolCallHash, locale],
    queryFn: () => suggestions(approval.approvalId, locale),
  });
  const list = (offered.data?.suggestions ?? []).slice(0, 3);
  const suggestion = list[Number(chosen)];
  const approve = async (scope: GrantSuggestion["scope"]) => {
    if (await send({ decision: "approve", cardHash: card.cardHash, scope })) onClose();
  };
  return (
    <>
      {offered.isPending ? <p className="text-muted">{words.common.loading}</p> : null}
      {offered.error === null ? null : <Alert urgent>{problemText(offered.error, words)}</Alert>}
      {offered.isSuccess && list.length === 0 ? <p>{words.less.none}</p> : null}
      <RadioGroup.Root className="grid gap-2" value={chosen} onValueChange={setChosen} aria-label={words.less.title}>
        {list.map(({ sentence, warnings, covers }, index) => (
          <RadioGroup.Item
            key={sentence}
            value={String(index)}
            className="group grid grid-cols-[1.25rem_1fr] gap-x-2 rounded border border-line bg-sheet p-3 text-left data-[state=checked]:border-accent"
          >
            <span className="mt-1 grid size-4 place-items-center rounded-full border border-edge" aria-hidden="true">
              <RadioGroup.Indicator className="size-2 rounded-full bg-accent" />
            </span>
            <span className="isolate-text">{visible(sentence)}</span>
            {[...warnings, ...(covers === 0 ? [] : [words.less.covers(covers)])].map((text) => (
              <span key={text} className="isolate-text col-start-2 text-sm text-muted">
                {visible(text)}
              </span>
            ))}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
      <p className="my-3 text-sm text-muted">
        <Link href="/settings/apps" className="underline underline-offset-2">
          {words.less.settings}
        </Link>
      </p>
      {problem === undefined ? null : (
        <Alert tone="amber" urgent>
          {problem}
        </Alert>
      )}
      {suggestion === undefined ? null : (
        <ApproveControl
          key={chosen}
          card={card}
          label={words.less.approve}
          blocked={blocked}
          busy={sending !== "idle"}
          onApprove={() => void approve(suggestion.scope)}
        />
      )}
    </>
  );
}
