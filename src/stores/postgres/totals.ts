import type { Change } from "../../core/ports.js";

/** What all changes of a group together want of one counter. */
interface Total {
  add: number;
  /** The highest value before the group at which none of them passes its limit. */
  room: number;
  readonly until: number;
}

/** Counters are where the changes of a group meet: each adds to what the ones before it have left. */
export class Totals {
  readonly #totals = new Map<string, Total>();

  /** False where the steps do not simply add up: the end of a counter's time moves within the group. */
  add({ counts = [] }: Change): boolean {
    for (const { key, add, max = Infinity, until = Number.MAX_SAFE_INTEGER } of counts) {
      const total = this.#totals.get(key) ?? { add: 0, room: Infinity, until };
      if (total.until !== until) return false;
      total.add += add;
      total.room = Math.min(total.room, max - total.add);
      this.#totals.set(key, total);
    }
    return true;
  }

  /** By key, as whole numbers; undefined where those are too large to be exact. */
  sums(): readonly (Total & { readonly key: string })[] | undefined {
    const sums = [...this.#totals].map(([key, { add, room, until }]) => ({
      key,
      add,
      room: room === Infinity ? Number.MAX_SAFE_INTEGER : Math.floor(room),
      until,
    }));
    return sums.every(({ add, room }) => Number.isSafeInteger(add) && Number.isSafeInteger(room)) ? sums : undefined;
  }
}
