import { type ApprovalView, ClientError, type LiveEvent } from "countersign/client";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "react";
import { listPending, readApproval, readListed } from "../api/approvals.js";
import { type Connection, useLive } from "../api/live.js";
import { oneAtATime } from "../api/one-at-a-time.js";
import { usePreferences } from "../shell/preferences.js";
import { useMe } from "../shell/session.js";
import { EMPTY, type InboxState, missingFrom, reduce } from "./state.js";

interface Inbox {
  readonly state: InboxState;
  readonly connection: Connection;
  readonly error: unknown;
  /** Reads one anew, and puts it where it belongs. The card of a long call stays as it is known, or unread. */
  readonly refresh: (approvalId: string) => Promise<ApprovalView | undefined>;
  /** The same with the card, however long. */
  readonly readWhole: (approvalId: string) => Promise<ApprovalView | undefined>;
  readonly reload: () => void;
  readonly showArrived: () => void;
  readonly putAway: (approvalIds: readonly string[]) => void;
  /** Told every event after the inbox has taken it in. */
  readonly subscribe: (listener: (event?: LiveEvent) => void) => () => void;
}

const InboxContext = createContext<Inbox | undefined>(undefined);

/** One inbox for the whole app: list, card, chat and counts look at the same records. */
export function InboxProvider({ children }: { readonly children: ReactNode }) {
  const { locale } = usePreferences();
  const { workspaceId } = useMe();
  const [state, dispatch] = useReducer(reduce, EMPTY);
  const [error, setError] = useState<unknown>();
  const latest = useRef(state);
  latest.current = state;
  const listeners = useRef(new Set<(event?: LiveEvent) => void>());

  const [refresh, readWhole] = useMemo(
    () =>
      [readListed, readApproval].map((read) =>
        // A decision is told in several events, and whoever decided asks too: two reads answer them all.
        oneAtATime(async (approvalId: string) => {
          try {
            const approval = await read(approvalId, locale);
            dispatch({ type: "read", approval, locale });
            return approval;
          } catch (thrown) {
            // Not for our eyes any more: somebody took it over, or it was erased.
            if (thrown instanceof ClientError && thrown.code !== "unreachable" && thrown.status < 500) {
              dispatch({ type: "put-away", approvalIds: [approvalId] });
            }
            return undefined;
          }
        }),
      ) as [Inbox["refresh"], Inbox["readWhole"]],
    [locale],
  );

  const loading = useRef(false);
  const load = useCallback(async () => {
    if (loading.current) return;
    loading.current = true;
    try {
      const approvals = await listPending(locale);
      const missing = missingFrom(latest.current, approvals);
      dispatch({ type: "listed", approvals, locale });
      setError(undefined);
      await Promise.all(missing.map(refresh));
    } catch (thrown) {
      setError(thrown);
    } finally {
      loading.current = false;
    }
  }, [locale, refresh]);
  const reload = useCallback(() => void load(), [load]);
  useEffect(reload, [reload]);

  const onEvent = useCallback(
    (event?: LiveEvent) => {
      if (event === undefined) reload();
      else if (event.approvalId !== undefined && concerns(latest.current, event)) void refresh(event.approvalId);
      for (const listener of listeners.current) listener(event);
    },
    [reload, refresh],
  );
  const connection = useLive(workspaceId, onEvent);

  const value = useMemo<Inbox>(
    () => ({
      state,
      connection,
      error,
      refresh,
      readWhole,
      reload,
      showArrived: () => dispatch({ type: "show-arrived" }),
      putAway: (approvalIds) => dispatch({ type: "put-away", approvalIds }),
      subscribe: (listener) => {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
    }),
    [state, connection, error, refresh, readWhole, reload],
  );
  return <InboxContext value={value}>{children}</InboxContext>;
}

export function useInbox(): Inbox {
  const inbox = useContext(InboxContext);
  if (inbox === undefined) throw new Error("There is no inbox around this component.");
  return inbox;
}

/** New questions, and whatever happens to those that are here. What ran by itself is history's matter. */
function concerns({ items }: InboxState, { approvalId = "", type }: LiveEvent): boolean {
  return items.has(approvalId) || type.startsWith("approval.");
}
