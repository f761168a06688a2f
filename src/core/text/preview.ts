import type { Shown } from "./shown.js";

/** One escape, one marker or one character: what a cut must not go through. */
export const SHOWN_UNIT = /⟨[^⟨⟩]{1,64}⟩|\\u\{[0-9a-f]{1,6}\}|\\[\\nt]|[\s\S]/gu;

export interface Preview {
  readonly text: Shown;
  /** False when the text was cut; it then ends with `⟨+ 63,000 more characters⟩`. */
  readonly complete: boolean;
}

/** The beginning of a text that was already escaped. Padding is counted by then, so it cannot fill the preview. */
export function previewOf(shown: Shown, most: number): Preview {
  if (shown.length <= most) return { text: shown, complete: true };
  const end = cutAt(shown, most);
  let rest = 0;
  for (const _ of shown.slice(end)) rest++;
  const more = `⟨+ ${grouped(rest)} more character${rest === 1 ? "" : "s"}⟩`;
  return { text: (shown.slice(0, end) + more) as Shown, complete: false };
}

/** The last place up to `most` that lies between two units. */
function cutAt(shown: string, most: number): number {
  if (!/[\\⟨\ud800-\udfff]/.test(shown.slice(0, most))) return most;
  let end = 0;
  for (const [unit] of shown.matchAll(SHOWN_UNIT)) {
    if (end + unit.length > most) break;
    end += unit.length;
  }
  return end;
}

/** `63,000`: the same everywhere, whatever the machine's locale. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
