import type { Card, Json } from "countersign";
import type { ChatEvent } from "./stream.js";

/** A conversation as it is drawn: words of both sides, and between them the calls where they happened. */
export type Part =
  | { readonly kind: "words"; readonly from: "person" | "assistant"; readonly text: string }
  | {
      readonly kind: "call";
      readonly callId: string;
      readonly name: string;
      readonly card?: Card;
      readonly result?: Json;
      readonly outcome?: string;
    }
  | { readonly kind: "problem"; readonly text: string };

export function said(parts: readonly Part[], text: string): Part[] {
  return [...parts, { kind: "words", from: "person", text }];
}

/** Takes one event in. A call keeps its place, and turns into its outcome there. */
export function told(parts: readonly Part[], event: ChatEvent): Part[] {
  const last = parts.at(-1);
  switch (event.type) {
    case "token":
      if (last?.kind === "words" && last.from === "assistant") {
        return [...parts.slice(0, -1), { ...last, text: last.text + event.text }];
      }
      return [...parts, { kind: "words", from: "assistant", text: event.text }];
    case "tool_start":
      return [...parts, { kind: "call", callId: event.callId, name: event.name }];
    case "approval_required":
      return update(parts, event.callId, { card: event.card });
    case "approval_resolved":
      return update(parts, event.callId, { outcome: event.outcome });
    case "tool_end":
      return update(parts, event.callId, { result: event.result });
    case "error":
      return [...parts, { kind: "problem", text: event.message }];
    case "done":
      return [...parts];
    default:
      return event satisfies never;
  }
}

function update(
  parts: readonly Part[],
  callId: string,
  more: { card?: Card; result?: Json; outcome?: string },
): Part[] {
  const known = parts.some((part) => part.kind === "call" && part.callId === callId);
  const all: readonly Part[] = known ? parts : [...parts, { kind: "call", callId, name: more.card?.tool ?? callId }];
  return all.map((part) => (part.kind === "call" && part.callId === callId ? { ...part, ...more } : part));
}
