import type { Card } from "countersign";
import type { Words } from "../words/words.js";

/**
 * What the button says: the act itself where the tool tells one, its title otherwise. Never text from the arguments, which could
 * say anything.
 */
export function actOf(card: Card, own: boolean, words: Words): string {
  const [effect, ...others] = card.effects;
  const verb =
    effect !== undefined && Object.hasOwn(words.decide.verbs, effect.kind)
      ? words.decide.verbs[effect.kind]
      : undefined;
  if (effect !== undefined && others.length === 0 && verb !== undefined) {
    return words.decide.act(verb, effect.text.split(" · ")[0] ?? "");
  }
  return card.title ?? (own ? words.decide.confirm : words.decide.approve);
}

/** What is typed instead of holding: how many it concerns, or the approval's code. */
export function typedProof(card: Card): string {
  const count = card.effects.reduce((sum, effect) => sum + effect.count, 0);
  return count > 1 ? String(count) : card.code;
}
