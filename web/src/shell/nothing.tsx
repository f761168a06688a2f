import type { ReactNode } from "react";
import { Mark } from "./mark.js";

interface NothingProps {
  readonly text: string;
  /** Where the page has no other title. */
  readonly isTitle?: boolean;
  readonly children?: ReactNode;
}

/** Where there is nothing to show: one sentence in the middle, and below it what can be said or done. */
export function Nothing({ text, isTitle = false, children }: NothingProps) {
  const Text = isTitle ? "h1" : "p";
  return (
    <div className="grid h-full flex-1 place-content-center justify-items-center gap-2 p-8 text-center">
      <Mark large />
      <Text className="mt-3 text-[22px]/[30px] font-semibold text-balance">{text}</Text>
      {children}
    </div>
  );
}
