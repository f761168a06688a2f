import type { Card } from "countersign";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { useWords } from "../words/words.js";

interface DenyPanelProps {
  readonly card: Card;
  readonly own: boolean;
  readonly busy: boolean;
  readonly problem: string | undefined;
  readonly onBack: () => void;
  readonly onDeny: (reason: string) => void;
}

/** A no needs nothing; a reason helps the agent to do better, and so does naming what it offered itself. */
export function DenyPanel({ card, own, busy, problem, onBack, onDeny }: DenyPanelProps) {
  const words = useWords();
  const [reason, setReason] = useState("");
  const input = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => input.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onBack();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onDeny(reason.trim());
  };
  const offered = card.suggestedAlternatives ?? [];
  return (
    <div className="grid gap-3">
      <p className="font-medium">{own ? words.decide.cancelTitle : words.decide.denyTitle}</p>
      {problem === undefined ? null : (
        <Alert tone="amber" urgent>
          {problem}
        </Alert>
      )}
      {offered.length === 0 ? null : (
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <span className="text-muted">{words.decide.instead}</span>
          {offered.map(({ tool }, index) => (
            // Two of them may be of the same tool.
            <Button key={index} small onClick={() => setReason(words.decide.insteadReason(tool))}>
              <bdi className="font-mono">{tool}</bdi>
            </Button>
          ))}
        </div>
      )}
      <div className="grid gap-1.5">
        <label htmlFor={id} className="text-sm text-muted">
          {words.decide.reason}
        </label>
        <textarea
          id={id}
          ref={input}
          rows={2}
          maxLength={1_000}
          className="field"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className="flex justify-between gap-2">
        <Button kind="plain" onClick={onBack}>
          {words.common.back}
        </Button>
        <Button className="border-ink" disabled={busy} onClick={() => onDeny(reason.trim())}>
          {own ? words.decide.cancelIt : words.decide.deny}
        </Button>
      </div>
    </div>
  );
}
