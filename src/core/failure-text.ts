/** Characters that are kept of what a tool says of its failure. */
const MOST = 2_000;

/**
 * What went wrong, as a text that every store keeps: tools throw anything, also what cannot be made a text, and half a pair of
 * surrogates, which a cut leaves behind too, is none.
 */
export function failureText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
      .slice(0, MOST)
      .toWellFormed();
  } catch {
    return "it threw something that cannot be told";
  }
}
