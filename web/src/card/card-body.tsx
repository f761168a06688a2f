import type { Card } from "countersign";
import { memo, type ReactNode } from "react";
import { useFormats } from "../shell/time.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { Risk } from "../ui/risk.js";
import { useWords } from "../words/words.js";
import { Changes } from "./changes.js";
import { Exact } from "./exact.js";
import { SeenMark, useFold } from "./reading.js";
import { Value } from "./value-tree.js";

interface CardBodyProps {
  readonly card: Card;
  /** Present where hidden values may be revealed. */
  readonly approvalId?: string | undefined;
}

/** The card from the question down, in the order in which it is to be read; the agent's own words come last. */
export const CardBody = memo(function CardBody({ card, approvalId }: CardBodyProps) {
  const words = useWords();
  const formats = useFormats();
  // A warning that is also a reason stands above already.
  const reasons = card.reasons.filter(({ text }) => !card.warnings.some((warning) => warning.text === text));
  return (
    <div className="grid gap-5">
      <div>
        <h2 className="isolate-text text-[22px]/[30px] font-semibold" lang={card.locale === "zh" ? "zh-CN" : "en"}>
          {card.humanSummary}
        </h2>
        <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
          <Risk tier={card.riskTier} />
          <bdi className="isolate-text font-mono text-xs text-muted">{card.tool}</bdi>
        </p>
      </div>
      {card.warnings.map(({ severity, text }) => (
        <Alert key={text} tone={severity === "info" ? "info" : "amber"}>
          {text}
        </Alert>
      ))}
      <Effects card={card} />
      {card.diff === undefined || card.diff.length === 0 ? null : (
        <Section title={card.diffAgainst === "edit" ? words.card.changedEdit : words.card.changedPlan}>
          <Changes changes={card.diff} />
        </Section>
      )}
      {card.previewDiff === undefined || card.previewDiff.length === 0 ? null : (
        <Section title={words.card.changedPreview}>
          <Changes changes={card.previewDiff} />
        </Section>
      )}
      <Section title={words.card.arguments(card.size.values, formats.number(card.size.bytes))}>
        {card.arguments.length === 0 ? <p className="text-muted">{words.card.noArguments}</p> : null}
        <dl className="divide-y divide-line">
          {card.arguments.map(({ key, label, value }) => (
            <div key={key} className="grid gap-x-4 py-2 sm:grid-cols-[9rem_1fr]">
              <dt className="isolate-text text-sm">
                {label}
                {label === key ? null : (
                  <bdi className="font-mono text-xs text-muted max-sm:ml-1.5 sm:block">{key}</bdi>
                )}
              </dt>
              <dd className="min-w-0 text-sm/[1.375rem]">
                <Value value={value} approvalId={approvalId} />
                <SeenMark kind="field" />
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      {reasons.length === 0 ? null : (
        <Section title={words.card.why}>
          <ul className="grid gap-1.5">
            {reasons.map(({ code, text, fragment }) => (
              <li key={`${code}${text}${fragment ?? ""}`} className="isolate-text">
                <Fragmented text={text} fragment={fragment} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {card.rollbackNote === undefined ? null : (
        <Section title={words.card.undo}>
          <p className="isolate-text">{card.rollbackNote}</p>
        </Section>
      )}
      {card.suggestedAlternatives === undefined || card.suggestedAlternatives.length === 0 ? null : (
        <Section title={words.card.alternatives}>
          <ul className="grid gap-2">
            {card.suggestedAlternatives.map(({ tool, args }, index) => (
              // Two of them may be alike
              <li key={index} className="rounded border border-line p-2">
                <bdi className="font-mono text-sm">{tool}</bdi>
                <Value value={args} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Exact card={card} />
      {card.agentSays === undefined ? null : (
        <Section title={words.card.agentSays}>
          <p className="isolate-text border-l-2 border-line pl-3 text-muted">{card.agentSays}</p>
        </Section>
      )}
      <SeenMark kind="end" />
    </div>
  );
});

function Effects({ card: { effects, targets } }: { readonly card: Card }) {
  const words = useWords();
  return (
    <>
      {effects.length === 0 ? null : (
        <Section title={words.card.effects}>
          <ul className="grid gap-1">
            {effects.map(({ kind, text, samples }) => (
              <li key={`${kind}${text}`}>
                <span className="isolate-text text-lg font-medium">{text}</span>
                {samples.length === 0 ? null : (
                  <ul className="mt-1 border-l border-line pl-3">
                    {samples.map((sample, index) => (
                      // Two samples may be alike
                      <li key={index} className="verbatim">
                        {sample}
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {targets.length === 0 ? null : (
        <Section title={words.card.targets}>
          <Targets targets={targets} />
        </Section>
      )}
    </>
  );
}

const MANY_TARGETS = 12;

function Targets({ targets }: { readonly targets: Card["targets"] }) {
  const words = useWords();
  const formats = useFormats();
  const [isOpen, open] = useFold(targets.length > MANY_TARGETS);
  return (
    <>
      <ul className="flex flex-wrap gap-x-4">
        {(isOpen ? targets : targets.slice(0, MANY_TARGETS)).map((target) => (
          <li key={target} className="verbatim">
            {target}
          </li>
        ))}
      </ul>
      {isOpen ? null : (
        <Button small className="mt-1" onClick={open}>
          {words.card.showItems(formats.number(targets.length))}
        </Button>
      )}
    </>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="eyebrow mb-1">{title}</h3>
      {children}
    </section>
  );
}

/** The fragment that a reason speaks of is underlined; one that does not stand in the sentence stands behind it. */
function Fragmented({ text, fragment }: { readonly text: string; readonly fragment?: string | undefined }) {
  // A count is no place in the call that an underline could point to.
  if (fragment === undefined || !/[^\d]/.test(fragment)) return text;
  const mark = (
    <span className="font-mono text-sm underline decoration-amber decoration-2 underline-offset-2">{fragment}</span>
  );
  const at = text.indexOf(fragment);
  if (at === -1) {
    return (
      <>
        {text} {mark}
      </>
    );
  }
  return (
    <>
      {text.slice(0, at)}
      {mark}
      {text.slice(at + fragment.length)}
    </>
  );
}
