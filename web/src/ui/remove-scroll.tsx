import { Slot } from "radix-ui";
import { type ReactNode, useEffect } from "react";

interface RemoveScrollProps {
  readonly children: ReactNode;
  readonly enabled?: boolean;
}

/** Keeps the page behind a dialog from scrolling, by a class of our own stylesheet. */
export function RemoveScroll({ children, enabled = true }: RemoveScrollProps) {
  useEffect(() => {
    if (!enabled) return;
    document.documentElement.classList.add("no-scroll");
    return () => document.documentElement.classList.remove("no-scroll");
  }, [enabled]);
  return <Slot.Root>{children}</Slot.Root>;
}
