import { useEffect, useRef } from "react";
import { serverNow } from "../api/http.js";
import { useAnnounce } from "../shell/announcer.js";
import { everySecond } from "../shell/time.js";
import { useWords } from "../words/words.js";
import { useInbox } from "./inbox-provider.js";
import { notifyWaiting } from "./notifications.js";

const LAST_MINUTE = 60_000;

/** Says aloud what arrived and what is about to run out, each once; tells the browser when nobody looks. */
export function useInboxAnnouncements(): void {
  const words = useWords().inbox;
  const announce = useAnnounce();
  const { state } = useInbox();
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const warned = useRef(new Set<string>());
  useEffect(() => {
    if (!state.loaded) return;
    const pending = [...state.items.values()].filter((item) => item.state === "pending");
    const fresh = pending.filter(({ approvalId }) => known.current !== undefined && !known.current.has(approvalId));
    known.current = new Set(state.items.keys());
    if (fresh.length === 0) return;
    announce(words.announceArrived(fresh.length, fresh[0]?.card?.humanSummary ?? ""));
    notifyWaiting(words.notify(pending.length));
  }, [state, announce, words]);
  useEffect(() => {
    const warn = () => {
      const now = serverNow();
      for (const { approvalId, state: is, expiresAt, card } of state.items.values()) {
        const left = Date.parse(expiresAt) - now;
        if (is !== "pending" || left > LAST_MINUTE || left <= 0 || warned.current.has(approvalId)) continue;
        warned.current.add(approvalId);
        announce(words.announceExpiring(card?.humanSummary ?? ""));
      }
    };
    warn();
    return everySecond(warn);
  }, [state, announce, words]);
}
