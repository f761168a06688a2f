import type { Approval } from "./approval.js";
import type { Engine } from "./engine.js";
import { readAll } from "./for-each.js";
import type { Store, StoredRecord } from "./ports.js";

/** A list as a store gives it: what follows an id, in the order of the list. */
type List = (from: string, limit: number) => Promise<readonly StoredRecord[]>;

/** What is passed over goes by at least so many at once. */
const PASSED_OVER = 100;

/**
 * As many of a list as are asked for, of those that can be read and are wanted. Fewer means that there are no more: whoever reads
 * page by page goes by that, so that what is passed over must not look like the end.
 */
export async function readPage(
  engine: Engine,
  list: List,
  { from, limit }: { readonly from: string; readonly limit: number },
  isWanted: (approval: Approval) => boolean = () => true,
): Promise<Approval[]> {
  const found: Approval[] = [];
  let [at, size] = [from, limit];
  for (;;) {
    const records = await list(at, size);
    found.push(...readAll(engine, records).filter(isWanted));
    if (found.length >= limit || records.length < size) return found.slice(0, limit);
    at = records.at(-1)?.id ?? at;
    size = Math.max(limit, PASSED_OVER);
  }
}

/** Several indexes as one list, oldest first; what stands in two of them is in it once. */
export function merged(store: Store, indexes: readonly string[]): List {
  return async (after, limit) => {
    const lists = await Promise.all(indexes.map((index) => store.list(index, after, limit)));
    const records = new Map(lists.flat().map((record) => [record.id, record]));
    return [...records.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  };
}
