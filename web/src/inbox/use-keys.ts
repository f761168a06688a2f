import type { ApprovalView } from "countersign/client";
import { type RefObject, useEffect, useRef } from "react";
import type { Panel } from "../card/decision-bar.js";

interface Keys {
  readonly shown: readonly ApprovalView[];
  readonly approval: ApprovalView | undefined;
  readonly panel: Panel;
  readonly setPanel: (panel: Panel) => void;
  readonly open: (approvalId: string | undefined) => void;
  readonly approveRef: RefObject<HTMLButtonElement | null>;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly onHelp: () => void;
}

/** One key for each act. From R3 on the key for yes only leads to the button, so that no single key approves. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event)) return;
      if (document.querySelector("[role=dialog],[role=menu]") !== null) return;
      if (pressed(event.key, latest.current)) event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

function pressed(
  key: string,
  { shown, approval, panel, setPanel, open, approveRef, searchRef, onHelp }: Keys,
): boolean {
  const at = shown.findIndex(({ approvalId }) => approvalId === approval?.approvalId);
  const step = (by: number) =>
    open(shown[Math.min(Math.max(at + by, 0), shown.length - 1)]?.approvalId ?? approval?.approvalId);
  const canDecide = approval?.state === "pending" && panel === undefined;
  switch (key) {
    case "j":
      step(1);
      return true;
    case "k":
      step(at === -1 ? 1 : -1);
      return true;
    case "o":
      if (approval === undefined) step(1);
      document.querySelector<HTMLElement>("[data-scroll]")?.focus();
      return true;
    case "a":
      if (!canDecide) return false;
      approveRef.current?.focus();
      if (approval.riskTier <= "R2") approveRef.current?.click();
      return true;
    case "d":
      if (canDecide) setPanel("deny");
      return canDecide;
    case "e":
      if (canDecide) setPanel("edit");
      return canDecide;
    case "/":
      searchRef.current?.focus();
      return true;
    case "?":
      onHelp();
      return true;
    default:
      return false;
  }
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
