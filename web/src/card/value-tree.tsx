import type { ShownBranch, ShownLeaf, ShownValue } from "countersign";
import { useState } from "react";
import { reveal } from "../api/approvals.js";
import { useFormats } from "../shell/time.js";
import { Button } from "../ui/button.js";
import { useNotice } from "../ui/notice.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { useFold } from "./reading.js";

/** More lines or items than this are folded until somebody opens them. */
const MANY_LINES = 40;
const MANY_ITEMS = 50;

interface ValueProps {
  readonly value: ShownValue;
  /** Present where hidden values may be revealed. */
  readonly approvalId?: string | undefined;
}

/** Every part of a value as the server made it: already escaped, so it is drawn as text and nothing is added. */
export function Value({ value, approvalId }: ValueProps) {
  return (
    <>
      {isBranch(value) ? (
        <Branch value={value} approvalId={approvalId} />
      ) : (
        <Leaf value={value} approvalId={approvalId} />
      )}
      {value.notices.map((notice) => (
        <p
          key={`${notice.code}${notice.about ?? ""}`}
          className="isolate-text mt-1 flex gap-1.5 rounded bg-amber-wash px-2 py-1 text-sm"
        >
          <span aria-hidden="true">⚠</span>
          <span>{notice.text}</span>
        </p>
      ))}
    </>
  );
}

function isBranch(value: ShownValue): value is ShownBranch {
  return value.kind === "array" || value.kind === "object";
}

function Branch({ value, approvalId }: { readonly value: ShownBranch; readonly approvalId?: string | undefined }) {
  const words = useWords();
  const formats = useFormats();
  const [isOpen, open] = useFold(value.children.length > MANY_ITEMS);
  const isList = value.kind === "array";
  if (value.count === 0) {
    return <span className="verbatim">{isList ? words.card.emptyList : words.card.emptyObject}</span>;
  }
  const shown = isOpen ? value.children : value.children.slice(0, MANY_ITEMS);
  return (
    <>
      <span className="text-xs text-muted">
        {isList ? words.card.items(value.count) : words.card.keys(value.count)}
      </span>
      <ul className="border-l border-line pl-3">
        {shown.map((child) => (
          <li key={child.label} className="far py-0.5">
            <Name value={child} />
            <Value value={child} approvalId={approvalId} />
          </li>
        ))}
      </ul>
      {isOpen ? null : (
        <Button small onClick={open}>
          {words.card.showItems(formats.number(value.count))}
        </Button>
      )}
    </>
  );
}

/** What the schema calls it, with the raw key small beside it. */
function Name({ value: { key, title } }: { readonly value: ShownValue }) {
  return (
    <span className="mr-2 text-sm text-muted">
      {title === undefined ? null : <span className="isolate-text mr-1.5 text-ink">{title}</span>}
      <bdi className="font-mono text-xs">{key}</bdi>
    </span>
  );
}

function Leaf({ value, approvalId }: { readonly value: ShownLeaf; readonly approvalId?: string | undefined }) {
  const words = useWords();
  const formats = useFormats();
  const { lines, preview, text, kind } = value;
  const [isOpen, open] = useFold(!preview.complete || (lines?.length ?? 0) > MANY_LINES);
  if (kind === "hidden") return <Hidden value={value} approvalId={approvalId} />;
  if (!isOpen) {
    return (
      <div>
        {lines === undefined ? (
          <span className="verbatim">{preview.text}</span>
        ) : (
          <Lines lines={lines.slice(0, MANY_LINES)} />
        )}
        <div className="mt-1">
          <Button small onClick={open}>
            {words.card.showAll(formats.number(text.length))}
          </Button>
        </div>
      </div>
    );
  }
  if (lines === undefined) return <span className="verbatim">{text}</span>;
  return <Lines lines={lines} />;
}

/** A line's number tells where one ends and where it only wraps: in a command that is another command. */
function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ol className="verbatim list-none">
      {lines.map((line, index) => (
        // Lines have no other name
        <li key={index} data-line={index + 1} className="line far">
          {line === "" ? " " : line}
        </li>
      ))}
    </ol>
  );
}

/** Known by its length and fingerprint alone, until somebody looks; looking is written down. */
function Hidden({ value, approvalId }: { readonly value: ShownLeaf; readonly approvalId?: string | undefined }) {
  const words = useWords();
  const tell = useNotice();
  const [revealed, setRevealed] = useState<ShownValue>();
  if (revealed !== undefined && revealed.kind !== "hidden") return <Value value={revealed} />;
  const look = (id: string) =>
    reveal(id, value.label).then(
      (answer) => setRevealed(answer.value),
      (error: unknown) => tell(problemText(error, words)),
    );
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <span className="verbatim text-muted">{value.text}</span>
      {approvalId === undefined ? null : (
        <Button small onClick={() => void look(approvalId)} title={words.card.revealNote}>
          {words.card.reveal}
        </Button>
      )}
    </span>
  );
}
