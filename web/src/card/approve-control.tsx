import type { Card } from "countersign";
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { Button } from "../ui/button.js";
import { useIsCovered } from "../ui/covered.js";
import { useWords } from "../words/words.js";
import { typedProof } from "./act.js";
import { HoldButton } from "./hold-button.js";
import { useArmed } from "./use-armed.js";

interface ApproveControlProps {
  readonly card: Card;
  readonly label: string;
  /** Why it cannot be pressed yet. */
  readonly blocked: string | undefined;
  readonly busy: boolean;
  readonly onApprove: () => void;
  readonly buttonRef?: RefObject<HTMLButtonElement | null>;
  /** Told while a second answer is asked for, so that other buttons can step aside. */
  readonly onAsking?: (asking: boolean) => void;
}

const CONTROL = "grid min-w-0 justify-items-end gap-1 max-sm:justify-items-stretch";

/** A yes as heavy as what it allows: a click up to R2, two in place at R3, a second's hold or a typed count at R4. */
export function ApproveControl(props: ApproveControlProps) {
  switch (props.card.riskTier) {
    case "R0":
    case "R1":
    case "R2":
      return <Once {...props} />;
    case "R3":
      return <Twice {...props} />;
    default:
      return <HoldOrType {...props} />;
  }
}

function useGuard({ card, blocked, busy }: ApproveControlProps, step: string) {
  const words = useWords();
  const isCovered = useIsCovered();
  const armed = useArmed(isCovered ? "" : `${card.toolCallHash}${card.cardHash}${step}`);
  const why = blocked ?? (armed ? undefined : words.decide.waitRead);
  return { inert: busy || why !== undefined, why: busy ? words.decide.sending : why };
}

function Once(props: ApproveControlProps) {
  const { inert, why } = useGuard(props, "");
  const id = useId();
  return (
    <div className={CONTROL}>
      <Button
        ref={props.buttonRef}
        kind="filled"
        aria-disabled={inert}
        aria-describedby={id}
        onClick={() => inert || props.onApprove()}
      >
        <span className="isolate-text">{props.label}</span>
      </Button>
      <Why id={id} text={why} />
    </div>
  );
}

function Twice(props: ApproveControlProps) {
  const [asked, setAsked] = useState(false);
  const { onAsking } = props;
  useEffect(() => onAsking?.(asked), [asked, onAsking]);
  if (!asked) return <Once {...props} onApprove={() => setAsked(true)} />;
  return <Again {...props} onBack={() => setAsked(false)} />;
}

function Again({ onBack, ...props }: ApproveControlProps & { readonly onBack: () => void }) {
  const words = useWords();
  const { inert, why } = useGuard(props, "twice");
  const back = useRef<HTMLButtonElement>(null);
  const id = useId();
  // Enter alone must not say yes twice: the keyboard lands on the way back.
  useEffect(() => back.current?.focus(), []);
  return (
    <div className={CONTROL}>
      <div className="flex justify-end gap-2 max-sm:justify-between">
        <Button ref={back} onClick={onBack}>
          {words.common.back}
        </Button>
        <Button kind="filled" aria-disabled={inert} aria-describedby={id} onClick={() => inert || props.onApprove()}>
          <span className="isolate-text">{words.decide.twice(props.label)}</span>
        </Button>
      </div>
      <Why id={id} text={why ?? words.decide.twiceNote} />
    </div>
  );
}

function HoldOrType(props: ApproveControlProps) {
  const words = useWords();
  const [typing, setTyping] = useState(false);
  const { inert, why } = useGuard(props, "");
  const id = useId();
  const { onAsking } = props;
  useEffect(() => onAsking?.(typing), [typing, onAsking]);
  if (typing) return <Typed {...props} inert={inert} why={why} onBack={() => setTyping(false)} />;
  return (
    <div className={CONTROL}>
      <HoldButton
        buttonRef={props.buttonRef}
        label={words.decide.hold(props.label)}
        describedBy={id}
        inert={inert}
        onHeld={props.onApprove}
        onKey={() => setTyping(true)}
      />
      <div className="flex items-baseline justify-end gap-3">
        <Why id={id} text={why ?? words.decide.holdNote} />
        <button
          type="button"
          className="-my-1.5 shrink-0 py-1.5 text-sm text-accent underline"
          onClick={() => setTyping(true)}
        >
          {words.decide.typeInstead}
        </button>
      </div>
    </div>
  );
}

interface TypedProps extends ApproveControlProps {
  readonly inert: boolean;
  readonly why: string | undefined;
  readonly onBack: () => void;
}

function Typed({ card, label, inert, why, onApprove, onBack }: TypedProps) {
  const words = useWords();
  const expected = typedProof(card);
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => input.current?.focus(), []);
  const ready = !inert && typed.trim().toLowerCase() === expected.toLowerCase();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && ready && !event.repeat) onApprove();
    if (event.key === "Escape") onBack();
  };
  return (
    <div className="grid gap-1">
      <div className="flex flex-wrap items-center justify-end gap-2 max-sm:justify-between">
        <label htmlFor={id} className="max-sm:w-full">
          {words.decide.type(expected)}
        </label>
        <input
          id={id}
          ref={input}
          className="field w-28 font-mono"
          autoComplete="off"
          inputMode={/^\d+$/.test(expected) ? "numeric" : "text"}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <Button onClick={onBack}>{words.common.back}</Button>
        <Button kind="danger" aria-disabled={!ready} onClick={() => ready && onApprove()}>
          <span className="isolate-text">{label}</span>
        </Button>
      </div>
      <Why id={`${id}-why`} text={why} />
    </div>
  );
}

/** Says why nothing happens yet. Always in its place, so that nothing moves when it is over. */
function Why({ id, text }: { readonly id: string; readonly text: string | undefined }) {
  return (
    <p id={id} className="min-h-5 text-right text-sm text-muted">
      {text}
    </p>
  );
}
