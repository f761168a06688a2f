import { useEffect, useRef, useState } from "react";
import { ApprovalCard } from "../card/approval-card.js";
import type { Panel } from "../card/decision-bar.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { JsonText, visible } from "../ui/json-text.js";
import { Lid } from "../ui/lid.js";
import { useWords } from "../words/words.js";
import type { Part } from "./transcript.js";
import type { Buttons } from "./yes.js";

export type CallPart = Extract<Part, { kind: "call" }>;

interface CallProps {
  readonly part: CallPart;
  /** Where its yes is to be found while it is drawn. */
  readonly buttons: Buttons;
}

/** A tool call in the conversation. While it waits it has a border and a badge; decided, it turns into its outcome in place. */
export function Call({ part, buttons }: CallProps) {
  const words = useWords();
  const { state, refresh } = useInbox();
  const [panel, setPanel] = useState<Panel>();
  const approveRef = useRef<HTMLButtonElement>(null);
  const approvalId = part.card?.approvalId;
  const approval = approvalId === undefined ? undefined : state.items.get(approvalId);
  const known = approval !== undefined;
  useEffect(() => {
    if (approvalId !== undefined && (!known || part.outcome !== undefined)) void refresh(approvalId);
  }, [approvalId, known, part.outcome, refresh]);
  useEffect(() => {
    if (approvalId === undefined) return;
    buttons.set(approvalId, approveRef);
    return () => void buttons.delete(approvalId);
  }, [approvalId, buttons]);
  if (approvalId === undefined) {
    return (
      <details className="rounded border border-line">
        <Lid className="px-3 py-2 text-sm text-muted">
          <span className="isolate-text min-w-0">{words.chat.tool(visible(part.name))}</span>
        </Lid>
        {part.result === undefined ? null : <JsonText value={part.result} />}
      </details>
    );
  }
  const waits = approval?.state === "pending";
  return (
    <div className={`overflow-hidden rounded border-2 bg-paper ${waits ? "border-accent" : "border-line"}`}>
      {waits ? <p className="bg-accent px-4 py-1 text-sm font-semibold text-on-accent">{words.chat.waiting}</p> : null}
      {approval === undefined ? null : (
        <ApprovalCard inline approval={approval} panel={panel} setPanel={setPanel} approveRef={approveRef} />
      )}
    </div>
  );
}
