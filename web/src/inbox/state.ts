import type { RiskTier } from "countersign";
import type { ApprovalView } from "countersign/client";

/**
 * What the inbox shows. `order` changes only when the reader asks for it: whatever arrives waits in `arrived`, whatever is
 * decided stays in its place until it is put away.
 */
export interface InboxState {
  readonly order: readonly string[];
  readonly arrived: readonly string[];
  readonly items: ReadonlyMap<string, ApprovalView>;
  readonly loaded: boolean;
}

export type InboxEvent =
  | { readonly type: "listed"; readonly approvals: readonly ApprovalView[]; readonly locale: string }
  | { readonly type: "read"; readonly approval: ApprovalView; readonly locale: string }
  | { readonly type: "show-arrived" }
  | { readonly type: "put-away"; readonly approvalIds: readonly string[] };

export const EMPTY: InboxState = { order: [], arrived: [], items: new Map(), loaded: false };

export function reduce(state: InboxState, event: InboxEvent): InboxState {
  switch (event.type) {
    case "listed":
      return listed(
        state,
        event.approvals.map((approval) => withCard(state, approval, event.locale)),
      );
    case "read":
      return read(state, withCard(state, event.approval, event.locale));
    case "show-arrived": {
      const known = [...state.order, ...state.arrived];
      return { ...state, arrived: [], order: sorted(known, state.items) };
    }
    case "put-away": {
      const items = new Map(state.items);
      for (const approvalId of event.approvalIds) items.delete(approvalId);
      return { ...state, items, order: state.order.filter((approvalId) => items.has(approvalId)) };
    }
    default:
      return event satisfies never;
  }
}

/** Lists leave the card of a long call out; one that was read before is still the card of the same call. */
function withCard({ items }: InboxState, approval: ApprovalView, locale: string): ApprovalView {
  const known = items.get(approval.approvalId);
  const isRead = approval.card !== undefined || approval.erasedAt !== undefined;
  if (isRead || known?.card === undefined) return approval;
  const isSame = known.toolCallHash === approval.toolCallHash && known.card.locale === locale;
  return isSame ? { ...approval, card: known.card } : approval;
}

function listed(state: InboxState, approvals: readonly ApprovalView[]): InboxState {
  const items = new Map(state.items);
  for (const approval of approvals) items.set(approval.approvalId, approval);
  const unknown = approvals.map(({ approvalId }) => approvalId).filter((approvalId) => !state.items.has(approvalId));
  // The first list is what the reader came for; an empty inbox has nothing that could move.
  if (!state.loaded || state.order.length === 0) {
    return { items, loaded: true, arrived: [], order: sorted([...state.order, ...state.arrived, ...unknown], items) };
  }
  return { ...state, items, arrived: [...state.arrived, ...unknown] };
}

function read(state: InboxState, approval: ApprovalView): InboxState {
  const items = new Map(state.items).set(approval.approvalId, approval);
  if (state.items.has(approval.approvalId)) {
    // What was over before anybody saw it is no news.
    const arrived =
      approval.state === "pending" ? state.arrived : state.arrived.filter((each) => each !== approval.approvalId);
    return { ...state, items, arrived };
  }
  return approval.state === "pending" ? listed(state, [approval]) : { ...state, items };
}

/** Those of them that were pending and are not in the list any more: somebody has answered, or time has. */
export function missingFrom(state: InboxState, approvals: readonly ApprovalView[]): string[] {
  const listedIds = new Set(approvals.map(({ approvalId }) => approvalId));
  return [...state.items.values()]
    .filter(({ approvalId, state: now }) => now === "pending" && !listedIds.has(approvalId))
    .map(({ approvalId }) => approvalId);
}

const TIERS: readonly RiskTier[] = ["R0", "R1", "R2", "R3", "R4"];

/** What runs out first stands first; at the same minute what risks more. */
function sorted(approvalIds: readonly string[], items: InboxState["items"]): string[] {
  const minute = ({ expiresAt }: ApprovalView) => Math.floor(Date.parse(expiresAt) / 60_000);
  return [...new Set(approvalIds)]
    .flatMap((approvalId) => items.get(approvalId) ?? [])
    .sort(
      (a, b) =>
        minute(a) - minute(b) ||
        TIERS.indexOf(b.riskTier) - TIERS.indexOf(a.riskTier) ||
        (a.approvalId < b.approvalId ? -1 : 1),
    )
    .map(({ approvalId }) => approvalId);
}
