import { useVirtualizer } from "@tanstack/react-virtual";
import type { ApprovalView } from "countersign/client";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { MOST_SHOWN } from "../api/approvals.js";
import { Button } from "../ui/button.js";
import { useWords } from "../words/words.js";
import { type Group, holds, isGroup } from "./groups.js";
import { useInbox } from "./inbox-provider.js";
import { GroupRow, InboxRow } from "./inbox-row.js";
import type { Landing } from "./use-return.js";

interface InboxListProps {
  readonly rows: readonly (ApprovalView | Group)[];
  readonly selected: string | undefined;
  readonly landing: Landing;
  /** Present while a filter hides some. */
  readonly onClear: (() => void) | undefined;
}

const estimateSize = () => 92;

/** Only the rows that are on the screen are in the page, however many wait. */
export function InboxList({ rows, selected, landing, onClear }: InboxListProps) {
  const words = useWords();
  const { state, showArrived, putAway } = useInbox();
  const scroll = useRef<HTMLDivElement>(null);
  // As long as this is the same function, the places of all rows that were worked out before stay good.
  const getItemKey = useCallback((index: number) => idOf(rows[index]), [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize,
    getItemKey,
    overscan: 6,
  });
  const at = rows.findIndex((row) => holds(row, selected));
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at);
  }, [at, virtual]);
  useEffect(() => {
    if (landing.at !== undefined) virtual.scrollToIndex(landing.at);
  }, [landing.at, virtual]);
  const decided = useMemo(() => state.order.filter((id) => state.items.get(id)?.state !== "pending"), [state]);
  return (
    <>
      {state.arrived.length === 0 ? null : (
        <div className="px-5 pb-2 md:px-4">
          <Button
            kind="filled"
            small
            className="w-full"
            onClick={showArrived}
            aria-label={words.inbox.showArrived(state.arrived.length)}
          >
            {words.inbox.arrived(state.arrived.length)}
          </Button>
        </div>
      )}
      <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {rows.length === 0 && onClear !== undefined ? (
          <div className="flex items-center justify-between gap-3 px-5 py-4 md:px-4">
            <p className="text-muted">{words.inbox.noMatch}</p>
            <Button small onClick={onClear}>
              {words.inbox.clear}
            </Button>
          </div>
        ) : null}
        <ul className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const land = index === landing.at ? landing.done : undefined;
            return (
              <li
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ transform: `translateY(${start}px)` }}
              >
                {isGroup(row) ? (
                  <GroupRow group={row} current={holds(row, selected)} land={land} />
                ) : (
                  <InboxRow approval={row} current={row.approvalId === selected} land={land} />
                )}
              </li>
            );
          })}
        </ul>
        {state.items.size >= MOST_SHOWN ? (
          <p className="p-4 text-sm text-muted">{words.inbox.more(MOST_SHOWN)}</p>
        ) : null}
      </div>
      {decided.length === 0 ? null : (
        <div className="border-t border-line px-5 py-2 text-right md:px-4">
          <Button kind="plain" small onClick={() => putAway(decided)}>
            {words.inbox.dismissAll}
          </Button>
        </div>
      )}
    </>
  );
}

function idOf(row: ApprovalView | Group | undefined): string {
  if (row === undefined) return "";
  return isGroup(row) ? `group:${row.id}` : row.approvalId;
}
