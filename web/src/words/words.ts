import { createContext, useContext } from "react";
import { en } from "./en.js";
import { zh } from "./zh.js";

export type Locale = "en" | "zh";

/** The shape of the catalogue: what one language says, all of them say. */
export type Words = Widened<typeof en>;

type Widened<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : T extends readonly string[]
      ? readonly string[]
      : { readonly [K in keyof T]: Widened<T[K]> };

const CATALOGUE: Readonly<Record<Locale, Words>> = { en, zh };

export function wordsIn(locale: Locale): Words {
  return CATALOGUE[locale];
}

export const WordsContext = createContext<Words>(en);

export function useWords(): Words {
  return useContext(WordsContext);
}
