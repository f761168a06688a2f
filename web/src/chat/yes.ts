import type { RiskTier } from "countersign";
import type { RefObject } from "react";
import { wordsIn } from "../words/words.js";

/** The yes of every card in a conversation, by its approval. */
export type Buttons = Map<string, RefObject<HTMLButtonElement | null>>;

/** A whole message that is a yes and nothing else, in either language. Words inside a sentence are never one. */
export function isYes(message: string): boolean {
  const said = message
    .trim()
    .toLowerCase()
    .replace(/[\s.!。！~]+$/u, "");
  return [...wordsIn("en").chat.yes, ...wordsIn("zh").chat.yes].includes(said);
}

/**
 * The typed yes is a press of the card's own button, with all that holds it back until the card was read. From R3 on it only leads
 * there: what weighs more than a word is not given by one.
 */
export function pressYes(button: HTMLButtonElement | null | undefined, tier: RiskTier): void {
  button?.scrollIntoView({ block: "nearest" });
  button?.focus();
  if (tier <= "R2") button?.click();
}
