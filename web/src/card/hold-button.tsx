import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "../ui/button.js";

const HOLD = 1_000;

interface HoldButtonProps {
  readonly buttonRef?: RefObject<HTMLButtonElement | null> | undefined;
  readonly label: string;
  readonly describedBy: string;
  readonly inert: boolean;
  readonly onHeld: () => void;
  /** A key cannot hold a pointer: it goes the other way. */
  readonly onKey: () => void;
}

/** Letting go, moving away or losing the window before the second is over does nothing. */
export function HoldButton({ buttonRef, label, describedBy, inert, onHeld, onKey }: HoldButtonProps) {
  const [holding, setHolding] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = () => {
    clearTimeout(timer.current);
    setHolding(false);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!holding) return;
    addEventListener("blur", stop);
    return () => removeEventListener("blur", stop);
  });
  const start = (event: PointerEvent<HTMLButtonElement>) => {
    if (inert || event.button !== 0) return;
    // What a finger touches keeps it wherever it goes: without this, sliding away would not be leaving.
    if (event.target instanceof Element) event.target.releasePointerCapture(event.pointerId);
    setHolding(true);
    timer.current = setTimeout(() => {
      setHolding(false);
      onHeld();
    }, HOLD);
  };
  const click = (event: MouseEvent) => {
    if (event.detail === 0) onKey();
  };
  return (
    <Button
      ref={buttonRef}
      kind="danger"
      aria-disabled={inert}
      aria-describedby={describedBy}
      className="relative touch-none overflow-hidden select-none"
      onPointerDown={start}
      onPointerUp={stop}
      onPointerLeave={stop}
      onPointerCancel={stop}
      onContextMenu={(event) => event.preventDefault()}
      onClick={click}
    >
      {holding ? <span className="hold-fill absolute inset-0 bg-ink/30" aria-hidden="true" /> : null}
      <span className="isolate-text relative">{label}</span>
    </Button>
  );
}
