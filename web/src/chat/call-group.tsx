import type { ApprovalView } from "countersign/client";
import { useState } from "react";
import { ReadingProvider } from "../card/reading.js";
import { GroupBar } from "../inbox/group-bar.js";
import { Members } from "../inbox/group-view.js";
import { grouped, isGroup } from "../inbox/groups.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { useWords } from "../words/words.js";
import { Call, type CallPart } from "./call.js";
import type { Part } from "./transcript.js";
import type { Buttons } from "./yes.js";

/** What is drawn in one piece: a part, or calls of one turn that ask for the same kind of thing. */
export type Row = Part | { readonly kind: "calls"; readonly calls: readonly CallPart[] };

/** Puts neighbours together that wait and are similar. What is decided stands alone again, as its outcome. */
export function arranged(parts: readonly Part[], items: ReadonlyMap<string, ApprovalView>): Row[] {
  const rows: Row[] = [];
  let run: CallPart[] = [];
  const endRun = () => {
    rows.push(...together(run, items));
    run = [];
  };
  for (const part of parts) {
    if (part.kind === "call") run.push(part);
    else {
      endRun();
      rows.push(part);
    }
  }
  endRun();
  return rows;
}

function together(run: readonly CallPart[], items: ReadonlyMap<string, ApprovalView>): Row[] {
  const groups = grouped(run.flatMap((part) => items.get(part.card?.approvalId ?? "") ?? [])).filter(isGroup);
  return run.flatMap((part): Row[] => {
    const group = groups.find(({ members }) => members.some((each) => each.approvalId === part.card?.approvalId));
    if (group === undefined) return [part];
    const ids = group.members.map(({ approvalId }) => approvalId);
    if (part.card?.approvalId !== ids[0]) return [];
    return [{ kind: "calls", calls: run.filter(({ card }) => ids.includes(card?.approvalId ?? "")) }];
  });
}

/** Similar calls under each other, with one answer for all of them. The set is fixed when it is drawn: what joins stands below. */
export function CallGroup({ calls, buttons }: { readonly calls: readonly CallPart[]; readonly buttons: Buttons }) {
  const words = useWords();
  const { state } = useInbox();
  const [ids] = useState(() => calls.map(({ card }) => card?.approvalId ?? ""));
  const members = ids.flatMap((id) => state.items.get(id) ?? []);
  const joined = calls.filter(({ card }) => !ids.includes(card?.approvalId ?? ""));
  return (
    <>
      <section className="overflow-hidden rounded border-2 border-accent bg-paper">
        <p className="bg-accent px-4 py-1 text-sm font-semibold text-on-accent">{words.chat.waiting}</p>
        <ReadingProvider>
          <Members members={members} />
          <GroupBar members={members} />
        </ReadingProvider>
      </section>
      {joined.map((part) => (
        <Call key={part.callId} part={part} buttons={buttons} />
      ))}
    </>
  );
}
