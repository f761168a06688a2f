import { useQuery } from "@tanstack/react-query";
import type { HistoryPage } from "countersign/client";
import { Link } from "wouter";
import { get } from "../api/http.js";
import { Nothing } from "../shell/nothing.js";
import { useWords } from "../words/words.js";

/** Nothing to do is good news, and says what ran without being asked. */
export function EmptyInbox() {
  const words = useWords();
  const auto = useQuery({
    queryKey: ["history", "auto-today"],
    queryFn: () => get<HistoryPage>("/v1/history?state=auto_approved&limit=100"),
  });
  const today = new Date().toDateString();
  const ran = auto.data?.items.filter(({ requestedAt }) => new Date(requestedAt).toDateString() === today).length;
  return (
    <Nothing text={words.inbox.empty}>
      <p className="max-w-sm text-balance text-muted">{words.inbox.emptyLead}</p>
      {ran === undefined ? null : (
        <Link href="/history" className="text-accent underline decoration-line underline-offset-4">
          {words.inbox.ranToday(ran)}
        </Link>
      )}
    </Nothing>
  );
}
