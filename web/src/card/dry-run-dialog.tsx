import { useQuery } from "@tanstack/react-query";
import { type ApprovalView, ClientError } from "countersign/client";
import { dryRun } from "../api/approvals.js";
import { useFormats } from "../shell/time.js";
import { Alert } from "../ui/alert.js";
import { Dialog } from "../ui/dialog.js";
import { JsonText } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";

interface DryRunDialogProps {
  readonly approval: ApprovalView;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Tries the call without its effects. What comes back belongs to exactly this call, and to no other revision of it. */
export function DryRunDialog({ approval, open, onClose }: DryRunDialogProps) {
  const words = useWords();
  return (
    <Dialog open={open} onOpenChange={(isOpen) => isOpen || onClose()} title={words.dryRun.title}>
      <Tried approval={approval} />
    </Dialog>
  );
}

function Tried({ approval }: { readonly approval: ApprovalView }) {
  const words = useWords();
  const formats = useFormats();
  const tried = useQuery({
    queryKey: ["dry-run", approval.approvalId, approval.toolCallHash],
    queryFn: () => dryRun(approval.approvalId),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const isNone = tried.error instanceof ClientError && tried.error.code === "not_supported";
  return (
    <>
      {tried.isPending ? <p className="text-muted">{words.common.loading}</p> : null}
      {tried.error === null ? null : (
        <Alert urgent>{isNone ? words.dryRun.none : problemText(tried.error, words)}</Alert>
      )}
      {tried.data === undefined || tried.data.toolCallHash !== approval.toolCallHash ? null : (
        <>
          <p className="mb-2 text-sm text-muted">{words.dryRun.done(formats.moment(tried.data.ranAt))}</p>
          <h3 className="eyebrow">{words.dryRun.result}</h3>
          <JsonText value={tried.data.result} />
        </>
      )}
    </>
  );
}
