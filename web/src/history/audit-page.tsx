import { useQuery } from "@tanstack/react-query";
import type { Timeline } from "countersign/client";
import { useEffect } from "react";
import { Link } from "wouter";
import { readApproval } from "../api/approvals.js";
import { get } from "../api/http.js";
import { Stamp } from "../card/stamp.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { PageFrame } from "../shell/page.js";
import { usePreferences } from "../shell/preferences.js";
import { useFormats } from "../shell/time.js";
import { Alert } from "../ui/alert.js";
import { Download } from "../ui/download.js";
import { visible } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { Facts } from "./facts.js";

/** One call from request to receipt, as the audit log tells it. */
export function AuditPage({ approvalId }: { readonly approvalId: string }) {
  const words = useWords();
  const { locale } = usePreferences();
  const { subscribe } = useInbox();
  const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
  const timeline = useQuery({ queryKey: ["timeline", approvalId], queryFn: () => get<Timeline>(`${path}/timeline`) });
  const approval = useQuery({
    queryKey: ["approval", approvalId, locale],
    queryFn: () => readApproval(approvalId, locale),
  });
  useEffect(
    () =>
      subscribe((event) => {
        if (event?.approvalId === approvalId) void timeline.refetch();
      }),
    [subscribe, approvalId, timeline.refetch],
  );
  const proof = <Download path={`${path}/proof`} label={words.audit.proof} note={words.audit.proofNote} />;
  return (
    <PageFrame title={words.audit.title} actions={proof} within={{ title: words.history.title, href: "/history" }}>
      {approval.data === undefined ? null : (
        <div className="mb-5 flex flex-wrap items-center gap-5">
          <Stamp state={approval.data.state} />
          <Link
            href={`/approvals/${approvalId}`}
            className="isolate-text min-w-0 flex-1 text-lg font-semibold underline decoration-line underline-offset-4"
          >
            {approval.data.card?.humanSummary ?? visible(approval.data.tool)}
          </Link>
        </div>
      )}
      {timeline.error === null ? null : <Alert urgent>{problemText(timeline.error, words)}</Alert>}
      {timeline.data === undefined ? null : (
        <>
          <Chain chain={timeline.data.chain} />
          <h3 className="eyebrow mt-6 mb-3">{words.audit.entries}</h3>
          <ol className="ml-1.5">
            {timeline.data.entries.map((entry) => (
              <Entry key={entry.seq} entry={entry} />
            ))}
          </ol>
        </>
      )}
    </PageFrame>
  );
}

function Chain({ chain }: { readonly chain: Timeline["chain"] }) {
  const words = useWords().audit;
  return (
    <Alert tone={chain.verified ? "info" : "vermilion"} urgent={!chain.verified}>
      <strong>{chain.verified ? words.chainOk : words.chainBad}</strong>
      {chain.verified ? ` · ${chain.signed ? words.chainSigned : words.chainUnsigned}` : null}
      {chain.problem === undefined ? null : <span className="block">{visible(chain.problem)}</span>}
      <span className="verbatim block text-muted">
        {words.seq(chain.head.seq)} · {chain.head.hash}
      </span>
    </Alert>
  );
}

function Entry({ entry: { seq, time, type, says } }: { readonly entry: Timeline["entries"][number] }) {
  const words = useWords().audit;
  const formats = useFormats();
  return (
    <li className="relative border-l-2 border-line pb-6 pl-6 last:border-transparent last:pb-0">
      <span
        className="absolute top-1 -left-[7px] size-3 rounded-full border-2 border-accent bg-paper"
        aria-hidden="true"
      />
      <p className="flex flex-wrap justify-between gap-x-4">
        <span className="font-semibold">{Object.hasOwn(words.types, type) ? words.types[type] : visible(type)}</span>
        <span className="text-sm text-muted">
          <time dateTime={time}>{formats.moment(time)}</time> · {words.seq(seq)}
        </span>
      </p>
      {says === null ? <p className="text-sm text-muted">{words.erased}</p> : <Facts says={says} />}
    </li>
  );
}
