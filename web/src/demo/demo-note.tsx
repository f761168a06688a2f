import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { Lid } from "../ui/lid.js";
import { useWords } from "../words/words.js";
import { useDemo } from "./use-demo.js";

/** Says that what is here is invented, tells what the demo agent does, and takes all of it away with one click. */
export function DemoNote() {
  const words = useWords().demo;
  const { lines, remove, busy } = useDemo();
  const latest = lines.at(-1);
  if (latest === undefined) return null;
  return (
    <section aria-label={words.title} className="border-t border-line bg-wash px-5 py-3 text-sm md:px-4">
      <div className="flex items-center justify-between gap-3">
        <h2 className="eyebrow">{words.title}</h2>
        <Button small className="shrink-0" disabled={busy} onClick={() => void remove()}>
          {words.remove}
        </Button>
      </div>
      <p className="isolate-text mt-1" aria-live="polite">
        {visible(latest.text)}
      </p>
      {lines.length === 1 ? null : (
        <details className="mt-1">
          <Lid className="text-muted">{words.earlier(lines.length - 1)}</Lid>
          <ol className="mt-1 grid max-h-40 gap-1 overflow-y-auto text-muted">
            {lines.slice(0, -1).map(({ seq, text }) => (
              <li key={seq} className="isolate-text">
                {visible(text)}
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}
