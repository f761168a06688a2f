import type { Card } from "countersign";
import { useFormats } from "../shell/time.js";
import { Lid } from "../ui/lid.js";
import { useWords } from "../words/words.js";

/** The bytes that are signed, and what tells this approval from every other one. */
export function Exact({ card }: { readonly card: Card }) {
  const words = useWords().card;
  const formats = useFormats();
  const facts: readonly (readonly [string, string])[] = [
    [words.hash, card.toolCallHash],
    [words.tool, card.tool],
    [words.app, card.app],
    [words.tier, card.riskTier],
    [words.code, card.code],
    [words.session, card.sessionId],
    ...(card.runId === undefined ? [] : [[words.run, card.runId] as const]),
    [words.requested, formats.moment(card.requestedAt)],
    [words.revision, String(card.revision)],
  ];
  return (
    <details className="rounded border border-line">
      <Lid className="px-3 py-2 text-sm font-medium">{words.exact}</Lid>
      <div className="border-t border-line p-3">
        <dl className="grid gap-x-4 gap-y-1 text-sm grid-cols-[5rem_1fr] sm:grid-cols-[7rem_1fr]">
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="verbatim">{value}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-3 text-sm text-muted">{words.exactNote}</p>
        {/* What scrolls must be reachable by keyboard */}
        <pre tabIndex={0} className="verbatim mt-1 max-h-80 overflow-auto bg-wash p-2">
          {card.toolCallCanonical}
        </pre>
      </div>
    </details>
  );
}
