import { useQuery } from "@tanstack/react-query";
import type { ApprovalView } from "countersign/client";
import { get } from "../api/http.js";
import { useWords } from "../words/words.js";

/** Nothing to do is good news, and says what ran without being asked. */
export function EmptyInbox() {
  const words = useWords();
  const auto = useQuery({
    queryKey: ["history", "auto-today"],
    queryFn: () => get<{ items: ApprovalView[] }>("/v1/history?state=auto_approved&limit=100"),
  });
  const today = new Date().toDateString();
  const ran = auto.data?.items.filter(({ requestedAt }) => new Date(requestedAt).toDateString() === today).length;
  return (
    <div className="grid flex-1 place-content-center gap-1 p-8 text-center">
      <p className="text-lg">{words.inbox.empty}</p>
      {ran === undefined ? null : <p className="text-muted">{words.inbox.ranToday(ran)}</p>}
    </div>
  );
}
