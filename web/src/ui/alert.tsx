import type { ReactNode } from "react";

const TONES = {
  info: "border-line bg-wash text-ink",
  amber: "border-amber bg-amber-wash text-ink",
  vermilion: "border-vermilion bg-vermilion-wash text-ink",
} as const;

interface AlertProps {
  readonly tone?: keyof typeof TONES;
  readonly children: ReactNode;
  /** Read out at once: for what went wrong after an act of the reader's own. */
  readonly urgent?: boolean;
}

export function Alert({ tone = "info", children, urgent = false }: AlertProps) {
  return (
    <div
      role={urgent ? "alert" : undefined}
      className={`isolate-text rounded border-l-4 px-3 py-2 text-sm ${TONES[tone]}`}
    >
      {children}
    </div>
  );
}
