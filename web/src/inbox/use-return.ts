import type { ApprovalView } from "countersign/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { type Group, holds } from "./groups.js";
import { useInbox } from "./inbox-provider.js";

/** The row that takes the focus, and what to call when it has. */
export interface Landing {
  readonly at: number | undefined;
  readonly done: () => void;
}

/**
 * Whoever puts away the card they look at, or hands it to somebody else, comes back to the list, to the row that has taken its
 * place. It is not opened: what comes next is the reader's choice.
 */
export function useReturn(
  rows: readonly (ApprovalView | Group)[],
  open: string | undefined,
  leave: () => void,
): Landing {
  const { state } = useInbox();
  const [at, setAt] = useState<number>();
  const last = useRef<{ readonly open: string; readonly row: number }>(undefined);
  const isListed = open !== undefined && state.order.includes(open);
  useEffect(() => {
    if (isListed) last.current = { open, row: rows.findIndex((row) => holds(row, open)) };
    else if (last.current !== undefined && last.current.open === open) {
      if (rows.length > 0) setAt(Math.min(Math.max(last.current.row, 0), rows.length - 1));
      last.current = undefined;
      leave();
    }
  }, [isListed, open, rows, leave]);
  const done = useCallback(() => setAt(undefined), []);
  return { at, done };
}
