import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { ApprovalCard } from "../card/approval-card.js";
import type { Panel } from "../card/decision-bar.js";
import { DemoNote } from "../demo/demo-note.js";
import { useMedia } from "../shell/preferences.js";
import { Standing } from "../shell/standing.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { EmptyInbox } from "./empty-inbox.js";
import { matches, NO_FILTER } from "./filter.js";
import { FilterBar } from "./filter-bar.js";
import { GroupView } from "./group-view.js";
import { grouped, isGroup } from "./groups.js";
import { InboxList } from "./inbox-list.js";
import { useInbox } from "./inbox-provider.js";
import { KeyHelp } from "./key-help.js";
import { Overview } from "./overview.js";
import { Unlisted } from "./unlisted.js";
import { useInboxAnnouncements } from "./use-announcements.js";
import { useKeys } from "./use-keys.js";
import { useReturn } from "./use-return.js";

interface InboxPageProps {
  readonly selected?: string;
  readonly group?: string;
  /** The card alone, over the whole page. */
  readonly full?: boolean;
}

/** List and card side by side; on a phone one of them. */
export function InboxPage({ selected, group, full = false }: InboxPageProps) {
  const words = useWords();
  const { state, error, reload } = useInbox();
  const [, go] = useLocation();
  const [filter, setFilter] = useState(NO_FILTER);
  const [panel, setPanel] = useState<Panel>();
  const [help, setHelp] = useState(false);
  const approveRef = useRef<HTMLButtonElement>(null);
  const searchRef = useRef<HTMLInputElement>(null);
  const isDesk = useMedia("(min-width: 768px)");
  useInboxAnnouncements();
  const shown = useMemo(
    () => state.order.flatMap((id) => state.items.get(id) ?? []).filter((approval) => matches(approval, filter)),
    [state, filter],
  );
  const rows = useMemo(() => grouped(shown), [shown]);
  const approval = selected === undefined ? undefined : state.items.get(selected);
  useEffect(() => setPanel(undefined), [selected]);
  const open = (id: string | undefined) => go(id === undefined ? "/" : `/approvals/${id}`);
  const groupOf =
    group === undefined
      ? undefined
      : rows.filter(isGroup).find(({ members }) => members.some((each) => each.approvalId === group));
  const chosen = selected ?? group;
  const leave = useCallback(() => go("/"), [go]);
  const landing = useReturn(rows, chosen, leave);
  useKeys({ shown, approval, panel, setPanel, open, approveRef, searchRef, onHelp: () => setHelp(true) });

  const isOpen = chosen !== undefined;
  const isEmpty = state.loaded && state.order.length === 0;
  const list = (
    <section
      aria-label={words.inbox.list}
      tabIndex={-1}
      className={`flex h-full min-h-0 w-full flex-col border-line outline-none ${isEmpty && !isOpen ? "" : "md:w-[360px] md:shrink-0 md:border-r"}`}
    >
      <header className="flex items-baseline justify-between gap-2 px-5 pt-5 pb-2 md:px-4">
        <h1 className="text-xl font-semibold">{words.inbox.title}</h1>
        {isEmpty ? null : (
          <Button kind="plain" small className="-mr-2.5 max-md:hidden" onClick={() => setHelp(true)}>
            {words.inbox.shortcuts}
          </Button>
        )}
      </header>
      {isEmpty ? null : <FilterBar filter={filter} onChange={setFilter} searchRef={searchRef} />}
      {error === undefined ? null : (
        <div className="px-5 pb-2 md:px-4">
          <Alert tone="amber">
            {problemText(error, words)}{" "}
            <button type="button" className="underline" onClick={reload}>
              {words.common.retry}
            </button>
          </Alert>
        </div>
      )}
      {isEmpty ? (
        <EmptyInbox />
      ) : (
        <InboxList
          rows={rows}
          selected={chosen}
          landing={landing}
          onClear={filter === NO_FILTER ? undefined : () => setFilter(NO_FILTER)}
        />
      )}
      <DemoNote />
      {isDesk ? null : (
        <div className="border-t border-line px-5 py-2">
          <Standing />
        </div>
      )}
    </section>
  );
  const back =
    isDesk && !full ? null : (
      <Link
        href={full && isDesk ? `/approvals/${selected ?? ""}` : "/"}
        className="block border-b border-line px-5 py-3 text-accent"
      >
        <span aria-hidden="true">‹ </span>
        {full && isDesk ? words.common.back : words.inbox.title}
      </Link>
    );
  return (
    <div className="flex h-full">
      {(isDesk && !full) || !isOpen ? list : null}
      {(isDesk && !isEmpty) || isOpen ? (
        <div className="flex h-full min-w-0 flex-1 flex-col bg-paper">
          {isOpen ? back : null}
          {isDesk && !full ? null : <h1 className="sr-only">{words.inbox.title}</h1>}
          <div className="min-h-0 flex-1">
            {approval === undefined ? null : (
              <ApprovalCard
                key={approval.approvalId}
                approval={approval}
                panel={panel}
                setPanel={setPanel}
                approveRef={approveRef}
              />
            )}
            {selected === undefined || approval !== undefined || !state.loaded ? null : (
              <Unlisted key={selected} approvalId={selected} />
            )}
            {group === undefined ? null : <GroupView key={group} id={group} group={groupOf} />}
            {isOpen || !state.loaded ? null : <Overview />}
          </div>
        </div>
      ) : null}
      <KeyHelp open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
