import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { useIsCovered } from "../ui/covered.js";

/** What of a card has not been on the screen yet. Approving waits for all of it. */
export interface Unread {
  /** Fields whose end was not seen. */
  readonly fields: number;
  /** Long values that are still folded. */
  readonly folded: number;
  readonly end: boolean;
}

interface Reading {
  readonly unread: Unread;
  readonly note: (kind: Kind, id: string, open: boolean) => void;
}

type Kind = "field" | "folded" | "end";

const ReadingContext = createContext<Reading | undefined>(undefined);

/** What is read in it has a key of its own: another revision is another text. */
export function ReadingProvider({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState<ReadonlyMap<string, Kind>>(new Map());
  const note = useCallback(
    (kind: Kind, id: string, isOpen: boolean) =>
      setOpen((before) => {
        if (before.has(id) === isOpen) return before;
        const after = new Map(before);
        if (isOpen) after.set(id, kind);
        else after.delete(id);
        return after;
      }),
    [],
  );
  const value = useMemo(() => {
    const kinds = [...open.values()];
    const count = (kind: Kind) => kinds.filter((each) => each === kind).length;
    return { unread: { fields: count("field"), folded: count("folded"), end: kinds.includes("end") }, note };
  }, [open, note]);
  return <ReadingContext value={value}>{children}</ReadingContext>;
}

export function useUnread(): Unread {
  return useReading().unread;
}

function useReading(): Reading {
  const reading = useContext(ReadingContext);
  if (reading === undefined) throw new Error("Nobody reads around this component.");
  return reading;
}

/** Stands at the end of what has to be seen. Behind a dialog nothing is. */
export function SeenMark({ kind }: { readonly kind: "field" | "end" }) {
  const { note } = useReading();
  const id = useId();
  const mark = useRef<HTMLSpanElement>(null);
  const wasSeen = useRef(false);
  const isCovered = useIsCovered();
  useEffect(() => {
    const element = mark.current;
    if (element === null || wasSeen.current) return;
    note(kind, id, true);
    if (isCovered) return () => note(kind, id, false);
    const observer = new IntersectionObserver((seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting) || document.visibilityState !== "visible") return;
      wasSeen.current = true;
      note(kind, id, false);
      observer.disconnect();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      note(kind, id, false);
    };
  }, [kind, id, note, isCovered]);
  return <span ref={mark} className="block h-px" />;
}

/** A value that is folded counts as unread until it was opened once. */
export function useFold(isLong: boolean) {
  const { note } = useReading();
  const id = useId();
  const [isOpen, setOpen] = useState(!isLong);
  useEffect(() => {
    note("folded", id, !isOpen);
    return () => note("folded", id, false);
  }, [id, isOpen, note]);
  return [isOpen, () => setOpen(true)] as const;
}
