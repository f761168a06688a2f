import { useQuery } from "@tanstack/react-query";
import { get } from "../api/http.js";
import { useWords } from "../words/words.js";

interface WorkspaceView {
  readonly counts?: { readonly autoApprovedToday?: number };
}

/** Nothing to do is good news, and says what ran without being asked. */
export function EmptyInbox() {
  const words = useWords();
  const workspace = useQuery({ queryKey: ["workspace"], queryFn: () => get<WorkspaceView>("/v1/workspace") });
  const ran = workspace.data?.counts?.autoApprovedToday;
  return (
    <div className="grid flex-1 place-content-center gap-1 p-8 text-center">
      <p className="text-lg">{words.inbox.empty}</p>
      {ran === undefined ? null : <p className="text-muted">{words.inbox.ranToday(ran)}</p>}
    </div>
  );
}
