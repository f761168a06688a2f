import { useInfiniteQuery } from "@tanstack/react-query";
import type { ApprovalView, HistoryPage as Page } from "countersign/client";
import { useState } from "react";
import { Link } from "wouter";
import { get, request } from "../api/http.js";
import { useTool } from "../api/tools.js";
import { groupBy } from "../shell/group-by.js";
import { agentOf, useNames } from "../shell/names.js";
import { Nothing } from "../shell/nothing.js";
import { PageFrame } from "../shell/page.js";
import { usePreferences } from "../shell/preferences.js";
import { useMe } from "../shell/session.js";
import { timeLeft, useFormats } from "../shell/time.js";
import { Alert } from "../ui/alert.js";
import { AskFirst } from "../ui/ask-first.js";
import { Button } from "../ui/button.js";
import { Download } from "../ui/download.js";
import { visible } from "../ui/json-text.js";
import { useNotice } from "../ui/notice.js";
import { problemText } from "../ui/problem.js";
import { Risk } from "../ui/risk.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";

interface Filter {
  readonly state: string;
  readonly view: string;
  readonly tool: string;
}

/** One's own past: everything that was asked or ran by itself, newest first. */
export function HistoryPage() {
  const words = useWords();
  const { role } = useMe();
  const { locale } = usePreferences();
  const formats = useFormats();
  const [filter, setFilter] = useState<Filter>({ state: "", view: "mine", tool: "" });
  const tell = useNotice();
  const { act, busy } = useAct("history");
  const erase = async () => {
    const erased = await act(() => request<{ calls: number }>("DELETE", "/v1/history", {}));
    if (erased !== undefined) tell(words.history.erased(erased.calls));
  };
  const pages = useInfiniteQuery({
    queryKey: ["history", filter, locale],
    initialPageParam: "",
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ view: filter.view, limit: "50", locale });
      if (filter.state !== "") query.set("state", filter.state);
      if (filter.tool.trim() !== "") query.set("tool", filter.tool.trim());
      if (pageParam !== "") query.set("before", pageParam);
      return get<Page>(`/v1/history?${query}`);
    },
    getNextPageParam: (page) => page.next,
  });
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const actions = (
    <div className="flex flex-wrap gap-2">
      <Download path="/v1/history/export" label={words.history.export} note={words.history.exportNote} />
      <AskFirst
        label={words.history.erase}
        title={words.history.eraseTitle}
        text={words.history.eraseText}
        verb={words.history.eraseDo}
        disabled={busy}
        onYes={() => void erase()}
      />
    </div>
  );
  return (
    <PageFrame title={words.history.title} actions={actions}>
      <p className="mb-4 text-muted">{words.history.lead}</p>
      <Filters filter={filter} onChange={setFilter} seesAll={role === "owner" || role === "auditor"} />
      {pages.error === null ? null : <Alert urgent>{problemText(pages.error, words)}</Alert>}
      {pages.isPending ? <p className="text-muted">{words.common.loading}</p> : null}
      {pages.isSuccess && items.length === 0 ? <Nothing text={words.history.empty} /> : null}
      {[...groupBy(items, ({ requestedAt }) => formats.date(requestedAt))].map(([day, ofDay]) => (
        <section key={day} className="mb-5">
          <h2 className="eyebrow mb-2">{day}</h2>
          <ul className="panel divide-y divide-line overflow-hidden">
            {ofDay.map((item) => (
              <li key={item.approvalId}>
                <HistoryRow item={item} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {pages.hasNextPage ? (
        <Button className="mt-4" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {words.common.more}
        </Button>
      ) : null}
    </PageFrame>
  );
}

function HistoryRow({ item }: { readonly item: ApprovalView }) {
  const words = useWords();
  const formats = useFormats();
  const nameOf = useNames();
  const title = useTool(item.tool)?.title;
  const summary = item.card?.humanSummary ?? visible(title ?? item.tool);
  const outcome = item.autoApproved && item.state === "succeeded" ? words.state.auto : words.state.stamp[item.state];
  return (
    <Link
      href={`/audit/${item.approvalId}`}
      className="grid gap-x-4 gap-y-0.5 px-4 py-3 hover:bg-wash sm:grid-cols-[3.5rem_1fr_auto]"
    >
      <time dateTime={item.requestedAt} className="text-sm leading-6 text-muted">
        {formats.clock(item.requestedAt)}
      </time>
      <span className="min-w-0">
        <span className="isolate-text block font-medium">{item.autoApproved ? unasked(summary) : summary}</span>
        <span className="isolate-text block text-sm text-muted">
          {words.card.approvalOf(agentOf(item), nameOf(item.requester.userId, item.requester.userName))}
          {item.decidedIn === undefined || item.resolution?.by === undefined
            ? null
            : ` · ${words.history.decidedIn(timeLeft(item.decidedIn, words.card))}`}
        </span>
      </span>
      <span className="flex items-center justify-between gap-4 sm:flex-col sm:items-end sm:justify-start sm:gap-0">
        <span className={`font-medium ${item.state === "unknown" ? "text-vermilion" : ""}`}>{outcome}</span>
        <Risk tier={item.riskTier} />
      </span>
    </Link>
  );
}

/** What ran by itself was no question. */
function unasked(question: string): string {
  return question.replace(/[?？]$/, "");
}

const STATES = ["pending", "succeeded", "denied", "expired", "cancelled", "auto_approved", "failed", "unknown"];

function Filters({
  filter,
  onChange,
  seesAll,
}: {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
  readonly seesAll: boolean;
}) {
  const words = useWords().history;
  return (
    <search className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-3">
      <select
        className="field"
        aria-label={words.filter}
        value={filter.state}
        onChange={(event) => onChange({ ...filter, state: event.target.value })}
      >
        <option value="">{words.states["all"]}</option>
        {STATES.map((state) => (
          <option key={state} value={state}>
            {words.states[state]}
          </option>
        ))}
      </select>
      {seesAll ? (
        <select
          className="field"
          aria-label={words.view}
          value={filter.view}
          onChange={(event) => onChange({ ...filter, view: event.target.value })}
        >
          <option value="mine">{words.mine}</option>
          <option value="workspace">{words.workspace}</option>
        </select>
      ) : null}
      <input
        className={`field ${seesAll ? "max-sm:col-span-2" : ""}`}
        placeholder={words.tool}
        aria-label={words.tool}
        value={filter.tool}
        onChange={(event) => onChange({ ...filter, tool: event.target.value })}
      />
    </search>
  );
}
