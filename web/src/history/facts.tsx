import type { Json, JsonObject, RiskTier } from "countersign";
import { useNames } from "../shell/names.js";
import { timeLeft, useFormats } from "../shell/time.js";
import { visible } from "../ui/json-text.js";
import { Lid } from "../ui/lid.js";
import { useWords } from "../words/words.js";

/** Hashes and ids prove something to programs; people find them under a lid. */
const TECHNICAL: readonly string[] = [
  "hash",
  "from",
  "card",
  "session",
  "policy",
  "proof",
  "rules",
  "grant",
  "instance",
];
const PEOPLE: readonly string[] = ["by", "for", "to"];

/** What one entry of the log says, in the reader's words where there are some. */
export function Facts({ says }: { readonly says: JsonObject }) {
  const words = useWords().audit;
  const facts = Object.entries(says);
  const plain = facts.filter(([name]) => !TECHNICAL.includes(name));
  const technical = facts.filter(([name]) => TECHNICAL.includes(name));
  return (
    <>
      <List facts={plain} />
      {technical.length === 0 ? null : (
        <details className="mt-1">
          <Lid className="text-sm text-muted">{words.technical}</Lid>
          <List facts={technical} />
        </details>
      )}
    </>
  );
}

function List({ facts }: { readonly facts: readonly (readonly [string, Json])[] }) {
  const words = useWords().audit;
  const told = useTold();
  return (
    <dl className="grid gap-x-4 gap-y-0.5 text-sm grid-cols-[6.5rem_1fr] sm:grid-cols-[8rem_1fr]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="isolate-text text-muted">
            {Object.hasOwn(words.facts, name) ? words.facts[name] : visible(name)}
          </dt>
          <dd className={TECHNICAL.includes(name) ? "verbatim" : "isolate-text"}>{told(name, value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A value as a person says it; one that this page has no words for stands as it is. */
function useTold(): (name: string, value: Json) => string {
  const words = useWords();
  const formats = useFormats();
  const nameOf = useNames();
  const known = (table: Readonly<Record<string, string>>, key: string) =>
    Object.hasOwn(table, key) ? table[key] : undefined;
  return (name, value) => {
    if (typeof value === "number") {
      if (name === "ttl") return timeLeft(value, words.card);
      return name === "until" ? formats.moment(new Date(value).toISOString()) : formats.number(value);
    }
    if (typeof value !== "string") return visible(JSON.stringify(value));
    if (PEOPLE.includes(name)) return nameOf(value);
    const said = {
      as: known(words.history.states, value),
      was: known(words.history.states, value),
      tier: known(words.risk, value as RiskTier),
      assurance: known(words.card.assurance, value),
      surface: known(words.settings.security.kind, value),
    }[name];
    return said ?? visible(value);
  };
}
