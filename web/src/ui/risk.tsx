import type { RiskTier } from "countersign";
import { useWords } from "../words/words.js";

/** A tier is known by its shape and its word; colour only repeats them, and only the last one is vermilion. */
const SHAPES: Readonly<Record<RiskTier, string>> = {
  R0: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Zm0 1.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9Z",
  R1: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Zm0 1.500V8h4.500A4.500 4.500 0 1 1 8 3.500Z",
  R2: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Zm0 1.500v9a4.500 4.500 0 1 1 0-9Z",
  R3: "M8 1.200 14.800 8 8 14.800 1.200 8Z",
  R4: "M4.600 1.900h6.800L14.800 8l-3.400 6.100H4.600L1.200 8Z",
};

export const RISK_COLOURS: Readonly<Record<RiskTier, string>> = {
  R0: "text-muted",
  R1: "text-muted",
  R2: "text-ink",
  R3: "text-amber",
  R4: "text-vermilion",
};

export function RiskShape({ tier }: { readonly tier: RiskTier }) {
  return (
    <svg viewBox="0 0 16 16" className={`size-4 shrink-0 ${RISK_COLOURS[tier]}`} aria-hidden="true">
      <path d={SHAPES[tier]} fill="currentColor" fillRule="evenodd" />
    </svg>
  );
}

export function Risk({ tier }: { readonly tier: RiskTier }) {
  const words = useWords();
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap text-sm font-medium ${RISK_COLOURS[tier]}`}>
      <RiskShape tier={tier} />
      {words.risk[tier]}
    </span>
  );
}
