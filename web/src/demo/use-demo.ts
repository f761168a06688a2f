import { useQuery, useQueryClient } from "@tanstack/react-query";
import { get, request } from "../api/http.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { usePreferences } from "../shell/preferences.js";
import { useHasAssistant } from "../shell/use-assistant.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";

interface DemoLine {
  readonly seq: number;
  readonly en: string;
  readonly zh: string;
}

const DEMO = "/agent/demo";
/** The demo agent reacts within moments; while there is one, the page looks that often. */
const LOOK_EVERY = 2_000;

/** What the demo agent of the first minute has said; nothing where there is none. */
export function useDemo() {
  const { locale } = usePreferences();
  const words = useWords().demo;
  const queries = useQueryClient();
  const { reload } = useInbox();
  const mounted = useHasAssistant();
  const demo = useQuery({
    queryKey: ["demo"],
    queryFn: () => get<{ lines: readonly DemoLine[] }>(DEMO),
    enabled: mounted === true,
    refetchInterval: ({ state }) => ((state.data?.lines.length ?? 0) > 0 ? LOOK_EVERY : false),
    retry: false,
  });
  const { act, busy } = useAct("demo", "history");
  const remove = async () => {
    await act(() => request("DELETE", DEMO, {}), words.removed);
    queries.setQueryData(["demo"], { lines: [] });
    reload();
  };
  const lines = (demo.data?.lines ?? []).map((line) => ({ seq: line.seq, text: line[locale] }));
  return { lines, remove, busy };
}
