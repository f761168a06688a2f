import type { CardChange } from "countersign";
import { diffChars, diffWordsWithSpace } from "diff";
import { useWords } from "../words/words.js";

const LONGEST_COMPARED = 4_000;

/** What was, what would be: marked by sign and word, never by colour alone. */
export function Changes({ changes }: { readonly changes: readonly CardChange[] }) {
  const words = useWords();
  const kinds = { add: words.card.added, remove: words.card.removed, replace: words.card.replaced };
  return (
    <ul className="grid gap-2">
      {changes.map(({ type, label, title, before, after }) => (
        <li key={`${type}${label}`} className="rounded border border-line bg-sheet p-2">
          <div className="flex flex-wrap justify-between gap-2 text-sm">
            <span className="flex flex-wrap items-baseline gap-x-1.5">
              {title === undefined ? null : <bdi>{title}</bdi>}
              <bdi className={title === undefined ? "font-mono" : "font-mono text-xs text-muted"}>
                {label === "" ? words.card.wholeValue : label}
              </bdi>
            </span>
            <span className="text-muted">{kinds[type]}</span>
          </div>
          {before === undefined ? null : <Side sign="−" name={words.card.before} text={before} against={after} />}
          {after === undefined ? null : <Side sign="+" name={words.card.after} text={after} against={before} />}
        </li>
      ))}
    </ul>
  );
}

interface SideProps {
  readonly sign: "−" | "+";
  readonly name: string;
  readonly text: string;
  readonly against: string | undefined;
}

function Side({ sign, name, text, against }: SideProps) {
  return (
    <div className="mt-1 flex gap-2">
      <span className="w-3 shrink-0 text-center font-mono text-muted" aria-hidden="true">
        {sign}
      </span>
      <span className="sr-only">{name}</span>
      <span className="verbatim min-w-0">
        <Marked text={text} against={against} />
      </span>
    </div>
  );
}

/** The whole text, with the parts that the other side does not have underlined. */
function Marked({ text, against }: { readonly text: string; readonly against: string | undefined }) {
  if (against === undefined || text.length + against.length > LONGEST_COMPARED) return text;
  // Chinese has no blanks between its words: there every character counts.
  const diff = /\p{Script=Han}/u.test(text + against) ? diffChars : diffWordsWithSpace;
  return diff(against, text)
    .filter(({ removed }) => !removed)
    .map(({ added, value }, index) =>
      added ? (
        // Parts have no other name
        <mark key={index} className="bg-transparent font-semibold text-ink underline decoration-accent decoration-2">
          {value}
        </mark>
      ) : (
        value
      ),
    );
}
