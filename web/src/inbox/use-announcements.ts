import type { ApprovalView } from "countersign/client";
import { useEffect, useRef } from "react";
import { serverNow } from "../api/http.js";
import { useStateText } from "../card/stamp.js";
import { useAnnounce } from "../shell/announcer.js";
import { everySecond } from "../shell/time.js";
import { useWords } from "../words/words.js";
import { useInbox } from "./inbox-provider.js";
import { notifyWaiting } from "./notifications.js";
import type { InboxState } from "./state.js";

const LAST_MINUTE = 60_000;

/** Says aloud what arrived, what is about to run out and what became of it, each once; tells the browser when nobody looks. */
export function useInboxAnnouncements(): void {
  const words = useWords().inbox;
  const announce = useAnnounce();
  const { state } = useInbox();
  const textOf = useStateText();
  const known = useRef<InboxState["items"] | undefined>(undefined);
  const warned = useRef(new Set<string>());
  useEffect(() => {
    if (!state.loaded) return;
    const pending = [...state.items.values()].filter((item) => item.state === "pending");
    const before = known.current ?? state.items;
    known.current = state.items;
    for (const approval of state.items.values()) {
      const earlier = before.get(approval.approvalId);
      if (earlier === undefined || !hasMoved(earlier, approval)) continue;
      announce(words.announceMoved(approval.card?.humanSummary ?? "", textOf(approval)));
    }
    const fresh = pending.filter(({ approvalId }) => !before.has(approvalId));
    if (fresh.length === 0) return;
    announce(words.announceArrived(fresh.length, fresh[0]?.card?.humanSummary ?? ""));
    notifyWaiting(words.notify(pending.length));
  }, [state, announce, words, textOf]);
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

function hasMoved(before: ApprovalView, after: ApprovalView): boolean {
  return before.state !== after.state || before.votes.length !== after.votes.length;
}
