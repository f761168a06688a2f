import type { Approval } from "./approval.js";
import { decodeApproval } from "./codec.js";
import type { Engine } from "./engine.js";
import { toCountersignError } from "./errors.js";
import type { Kind, StoredRecord } from "./ports.js";

const PAGE = 200;

/** Ids whose failure was told: it would be told again with every sweep. */
const told = new WeakMap<Engine, Set<string>>();

/**
 * Gives every record its turn although another one fails: one that cannot be read must not hide the rest. Each failure is told
 * once with its id, the first one is thrown in the end. A store that fails ends it at once: the others would fail as well.
 */
async function forEach(
  engine: Engine,
  records: readonly StoredRecord[],
  work: (record: StoredRecord) => Promise<void>,
): Promise<void> {
  const failed: unknown[] = [];
  for (const record of records) {
    try {
      await work(record);
    } catch (error) {
      if ((error as { code?: string }).code === "store_failed") throw error;
      failed.push(error);
      tellFailed(engine, record.id, error);
    }
  }
  if (failed.length > 0) throw failed[0];
}

/** The same for what is due. Whatever failed before is due for ever, and stands first: so many more are looked at. */
export async function forDue(engine: Engine, kind: Kind, work: (record: StoredRecord) => Promise<void>): Promise<void> {
  const failedBefore = told.get(engine)?.size ?? 0;
  await forEach(engine, await engine.store.due(kind, PAGE + failedBefore), work);
}

/** The same for all approvals that an index lists: those that wait for an agent elsewhere must not hide the ones to be started here. */
export async function forAll(
  engine: Engine,
  index: string,
  work: (approval: Approval) => Promise<void>,
): Promise<void> {
  const failed: unknown[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: readonly StoredRecord[] = await engine.store.list(index, after, PAGE);
    const each = forEach(engine, page, (record) => work(decodeApproval(record)));
    await each.catch((error: unknown) => failed.push(error));
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
  if (failed.length > 0) throw failed[0];
}

/** The approvals among these that can be read, for people to look at; the others are told of, and hide nothing. */
export function readAll(engine: Engine, records: readonly StoredRecord[]): Approval[] {
  return readable(records, (id, error) => tellFailed(engine, id, error));
}

/** The same where others tell of them. */
export function readable(
  records: readonly StoredRecord[],
  failed: (id: string, error: unknown) => void = () => {},
): Approval[] {
  return records.flatMap((record) => {
    try {
      return [decodeApproval(record)];
    } catch (error) {
      failed(record.id, error);
      return [];
    }
  });
}

/** Tells of a record that failed, once. */
export function tellFailed(engine: Engine, id: string, error: unknown): void {
  const ids = told.get(engine) ?? new Set();
  told.set(engine, ids);
  if (!ids.has(id)) engine.notice("record.failed", { id, why: toCountersignError(error).message });
  ids.add(id);
}
