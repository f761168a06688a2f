import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { type Locale, WordsContext, wordsIn } from "../words/words.js";

export type Look = "system" | "light" | "dark";

interface Preferences {
  readonly locale: Locale;
  readonly look: Look;
  readonly setLocale: (locale: Locale) => void;
  readonly setLook: (look: Look) => void;
}

const PreferencesContext = createContext<Preferences | undefined>(undefined);

const DARK = "(prefers-color-scheme: dark)";

/** Language and look of this browser. The server is told the language with every card it draws. */
export function PreferencesProvider({ children }: { readonly children: ReactNode }) {
  const [locale, setLocale] = useStored<Locale>("locale", ["en", "zh"], browserLocale());
  const [look, setLook] = useStored<Look>("look", ["system", "light", "dark"], "system");
  const dark = useMedia(DARK);
  useEffect(() => {
    document.documentElement.lang = locale === "zh" ? "zh-CN" : "en";
  }, [locale]);
  useEffect(() => {
    document.documentElement.dataset["theme"] = look === "system" ? (dark ? "dark" : "light") : look;
  }, [look, dark]);
  const value = useMemo(() => ({ locale, look, setLocale, setLook }), [locale, look, setLocale, setLook]);
  return (
    <PreferencesContext value={value}>
      <WordsContext value={wordsIn(locale)}>{children}</WordsContext>
    </PreferencesContext>
  );
}

export function usePreferences(): Preferences {
  const value = useContext(PreferencesContext);
  if (value === undefined) throw new Error("There are no preferences around this component.");
  return value;
}

function browserLocale(): Locale {
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function useStored<T extends string>(key: string, allowed: readonly T[], fallback: T) {
  const [value, setValue] = useState<T>(() => {
    const kept = localStorage.getItem(`countersign.${key}`);
    return allowed.find((each) => each === kept) ?? fallback;
  });
  const set = useMemo(
    () => (next: T) => {
      localStorage.setItem(`countersign.${key}`, next);
      setValue(next);
    },
    [key],
  );
  return [value, set] as const;
}

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const listen = () => setMatches(media.matches);
    listen();
    media.addEventListener("change", listen);
    return () => media.removeEventListener("change", listen);
  }, [query]);
  return matches;
}
