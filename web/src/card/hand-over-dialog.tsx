import type { ApprovalView } from "countersign/client";
import { useId, useState } from "react";
import { handOver } from "../api/approvals.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { useMembers, useNames } from "../shell/names.js";
import { useMe } from "../shell/session.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { useNotice } from "../ui/notice.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";

interface HandOverDialogProps {
  readonly approval: ApprovalView;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Leaves the question to another person of the audience. Whether they may answer is the server's matter. */
export function HandOverDialog({ approval, open, onClose }: HandOverDialogProps) {
  const words = useWords();
  return (
    <Dialog open={open} onOpenChange={(isOpen) => isOpen || onClose()} title={words.decide.handOver}>
      <HandOver approval={approval} onDone={onClose} />
    </Dialog>
  );
}

function HandOver({ approval, onDone }: { readonly approval: ApprovalView; readonly onDone: () => void }) {
  const words = useWords();
  const tell = useNotice();
  const { userId } = useMe();
  const { refresh } = useInbox();
  const [to, setTo] = useState("");
  const [note, setNote] = useState("");
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const nameOf = useNames();
  const members = useMembers();
  const others = (members.data?.members ?? []).filter((member) => member.userId !== userId && !member.disabled);
  const send = async () => {
    try {
      await handOver(approval.approvalId, to, note.trim());
      tell(words.decide.handedOver(nameOf(to)));
      onDone();
      await refresh(approval.approvalId);
    } catch (error) {
      setProblem(problemText(error, words));
    }
  };
  return (
    <>
      {members.error === null ? null : <Alert urgent>{problemText(members.error, words)}</Alert>}
      {members.isSuccess && others.length === 0 ? <p>{words.decide.nobodyElse}</p> : null}
      {others.length === 0 ? null : (
        <div className="grid gap-3">
          <label className="grid gap-1" htmlFor={`${id}-to`}>
            <span className="text-sm text-muted">{words.decide.handOverTo}</span>
            <select id={`${id}-to`} className="field" value={to} onChange={(event) => setTo(event.target.value)}>
              <option value="" />
              {others.map((member) => (
                <option key={member.userId} value={member.userId}>
                  {nameOf(member.userId)}
                </option>
              ))}
            </select>
          </label>
          <label className="grid gap-1" htmlFor={`${id}-note`}>
            <span className="text-sm text-muted">{words.decide.handOverNote}</span>
            <input
              id={`${id}-note`}
              className="field"
              maxLength={500}
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
          </label>
          {problem === undefined ? null : <Alert urgent>{problem}</Alert>}
          <Button kind="filled" disabled={to === ""} onClick={() => void send()}>
            {words.decide.handOver}
          </Button>
        </div>
      )}
    </>
  );
}
