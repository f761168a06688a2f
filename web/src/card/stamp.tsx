import type { ApprovalState } from "countersign";
import type { ApprovalView } from "countersign/client";
import { useCallback } from "react";
import { type Formats, useFormats } from "../shell/time.js";
import { visible } from "../ui/json-text.js";
import { useWords, type Words } from "../words/words.js";

const INK: Readonly<Record<ApprovalState, string>> = {
  pending: "border-muted text-muted",
  approved: "border-accent text-accent",
  executing: "border-accent text-accent",
  succeeded: "border-accent text-accent",
  failed: "border-ink text-ink",
  unknown: "border-vermilion text-vermilion",
  denied: "border-ink text-ink",
  expired: "border-muted text-muted",
  cancelled: "border-muted text-muted",
};

/** The mark that a decision leaves. */
export function Stamp({ state }: { readonly state: ApprovalState }) {
  const words = useWords();
  return (
    <span
      key={state}
      className={`stamp inline-block rounded border-[3px] border-double px-3 py-1 text-lg font-bold tracking-widest uppercase ${INK[state]}`}
      aria-hidden="true"
    >
      {words.state.stamp[state]}
    </span>
  );
}

/** Says in one sentence where an approval stands. */
export function useStateText(): (approval: ApprovalView) => string {
  const words = useWords().state;
  const formats = useFormats();
  return useCallback((approval) => stateText(approval, words, formats), [words, formats]);
}

function stateText(approval: ApprovalView, words: Words["state"], formats: Formats): string {
  const { state, execution, resolution, requestedAt, tool, audience, votes } = approval;
  switch (state) {
    case "pending":
      return votes.length > 0 ? words.votes(votes.length, audience.quorum) : words.pending;
    case "approved":
      return words.approvedRemote;
    case "executing":
      return words.executing;
    case "succeeded":
      return words.succeeded(formats.moment(execution?.finishedAt ?? resolution?.at ?? requestedAt));
    case "failed":
      return words.failed(visible(execution?.error ?? ""));
    case "unknown":
      return words.unknown(visible(tool));
    case "denied":
      return words.denied;
    case "expired":
      return words.expired;
    case "cancelled":
      return words.cancelled;
    default:
      return state satisfies never;
  }
}
