import type { ReactNode } from "react";
import { Chevron } from "./icons.js";

/** The line that opens what is folded away; its chevron turns. */
export function Lid({ className = "", children }: { readonly className?: string; readonly children: ReactNode }) {
  return (
    <summary className={`flex items-center gap-2 ${className}`}>
      <Chevron />
      {children}
    </summary>
  );
}
