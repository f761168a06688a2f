import { useQuery } from "@tanstack/react-query";
import type { WorkspaceView } from "countersign/client";
import { get } from "../api/http.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { useWords } from "../words/words.js";
import { useMe } from "./session.js";
import { useFormats } from "./time.js";

interface Verified {
  readonly ok: boolean;
  readonly seq: number;
}

/** Walking the chain costs the server work: once in a while is enough, and whoever doubts asks again. */
const VERIFY_EVERY = 10 * 60_000;

/** What the whole stands on: the connection, the chain of the audit log, and what a crash would take. */
export function Standing() {
  const words = useWords().standing;
  const { role } = useMe();
  const { connection } = useInbox();
  const workspace = useQuery({
    queryKey: ["workspace"],
    queryFn: () => get<WorkspaceView>("/v1/workspace"),
  });
  const durable = workspace.data?.storePromise.durable;
  return (
    <footer className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted md:grid">
      <p aria-live="off" className="flex items-center gap-1.5">
        <span
          className={`size-2 rounded-full border ${connection === "live" ? "border-accent bg-accent" : "border-edge"}`}
          aria-hidden="true"
        />
        {words[connection]}
      </p>
      {role === "owner" || role === "auditor" ? <Chain /> : null}
      {durable === undefined ? null : <p>{durable ? words.durable : words.passing}</p>}
    </footer>
  );
}

function Chain() {
  const words = useWords().standing;
  const formats = useFormats();
  const verified = useQuery({
    queryKey: ["verified"],
    queryFn: () => get<Verified>("/v1/audit/verify"),
    staleTime: VERIFY_EVERY,
    refetchInterval: VERIFY_EVERY,
  });
  if (verified.data === undefined) return null;
  const { ok, seq } = verified.data;
  return (
    <button
      type="button"
      title={words.verifyAgain}
      onClick={() => void verified.refetch()}
      className={`text-left underline decoration-line underline-offset-2 hover:text-ink ${ok ? "" : "font-semibold text-vermilion"}`}
    >
      {ok ? words.chainHolds(formats.number(seq)) : words.chainBroken(formats.number(seq))}
    </button>
  );
}
