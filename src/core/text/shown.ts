declare const brand: unique symbol;

/**
 * Text that may stand on a screen. Only the sanitiser and the catalogue of words make it, so a surface that takes nothing
 * else cannot draw what nobody has escaped: the compiler says so.
 */
export type Shown = string & { readonly [brand]: "shown" };

/** Composes words of ours with text that is safe already; numbers are. */
export function shown(words: TemplateStringsArray, ...values: readonly (Shown | number)[]): Shown {
  return String.raw({ raw: words }, ...values) as Shown;
}

/** Joins safe texts with a separator of ours. */
export function joinShown(texts: readonly Shown[], separator: string): Shown {
  return texts.join(separator) as Shown;
}
