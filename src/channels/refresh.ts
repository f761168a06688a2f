import type { Approval } from "../core/approval.js";
import type { Book, Delivery } from "./book.js";
import type { DeskContext } from "./desk-context.js";
import { showingOf } from "./showing.js";

/** Changes a delivery as it stands, however many others do so at the same time. Undefined leaves it alone. */
export async function update(
  book: Book,
  id: string,
  change: (current: Delivery) => Delivery | undefined,
): Promise<Delivery | undefined> {
  for (;;) {
    const current = await book.get(id);
    const changed = current && change(current);
    if (changed === undefined) return undefined;
    if (await book.save(changed)) return { ...changed, version: changed.version + 1 };
  }
}

/** Has every message about this approval show what is true now. */
export async function refresh({ gate, book, clock, hurry }: DeskContext, approval: Approval): Promise<void> {
  const now = gate.store.time();
  for (const { id } of await book.ofApproval(approval.approvalId)) {
    const changed = await update(book, id, (current) => {
      const wants = showingOf(approval, current, now);
      if (current.state !== "sent" || current.wants === wants) return undefined;
      return { ...current, wants, attempts: 0, dueAt: clock.now() };
    });
    if (changed !== undefined) hurry();
  }
}

const LOOK_AGAIN = 50;
const SENDING_TAKES = 1_000;

/** A platform may show a card, and people may answer it, before its own answer has told us where the card stands. */
export async function whenSent({ book, clock }: DeskContext, id: string): Promise<Delivery | undefined> {
  for (let waited = 0; ; waited += LOOK_AGAIN) {
    const delivery = await book.get(id);
    const underWay = delivery?.state === "queued" && delivery.attempts === 0;
    if (!underWay || waited >= SENDING_TAKES) return delivery;
    await new Promise<void>((resolve) => clock.timer(LOOK_AGAIN, resolve));
  }
}
