import type { Applied, Change, Store } from "../../src/core/ports.js";

/** A store that breaks one promise of its port and keeps all the others. Each must be found out by the model. */
export const FAULTS: Readonly<Record<string, (store: Store) => Store>> = {
  "applies changes to versions that are gone": (store) => ({
    ...bound(store),
    commit: (group) =>
      oneByOne(group, async (change) => {
        const puts = await Promise.all(
          change.puts.map(async (put) => ({ ...put, version: (await store.get(put.kind, put.id))?.version ?? 0 })),
        );
        return store.commit([{ ...change, puts }]);
      }),
  }),
  "lets two records hold one key": (store) => without(store, ({ unique: _, ...change }) => change),
  "takes answers that come too late": (store) => without(store, ({ before: _, ...change }) => change),
  "starts what was judged before a pause": (store) => without(store, ({ epoch: _, ...change }) => change),
  "counts nothing": (store) => without(store, ({ counts: _, ...change }) => change),
  "forgets to write entries": (store) =>
    without(store, (change) => ({ ...change, entries: change.entries.filter(({ type }) => type !== "call.claimed") })),
  "writes down twice how a question ended": (store) =>
    without(store, (change) => ({
      ...change,
      entries: change.entries.flatMap((entry) => (entry.type === "approval.resolved" ? [entry, entry] : [entry])),
    })),
  "acknowledges what it has not written": (store) => ({
    ...bound(store),
    commit: (group) =>
      oneByOne(group, async (change) => {
        const { time, epoch } = await headOf(store, change);
        const voted = change.entries.some(({ type }) => type === "approval.voted");
        return voted ? [{ ok: true, time, epoch, seq: 0 }] : store.commit([change]);
      }),
  }),
  "does not know what it has written": (store) => ({ ...bound(store), changed: async () => new Map() }),
  "finds nothing that is due": (store) => ({ ...bound(store), due: async () => [] }),
};

/** Methods of a class do not survive spreading. */
function bound(store: Store): Store {
  return {
    commit: (group) => store.commit(group),
    changed: (ids) => store.changed(ids),
    get: (kind, id) => store.get(kind, id),
    list: (index, after, limit) => store.list(index, after, limit),
    latest: (index, before, limit) => store.latest(index, before, limit),
    due: (kind, limit) => store.due(kind, limit),
    count: (key) => store.count(key),
    entries: (workspaceId, after, limit) => store.entries(workspaceId, after, limit),
    erase: (refs, entry) => store.erase(refs, entry),
    checkpoint: (workspaceId, signed) => store.checkpoint(workspaceId, signed),
    watch: (listener) => store.watch(listener),
    time: () => store.time(),
    promises: () => store.promises(),
    close: () => store.close(),
  };
}

function without(store: Store, weaken: (change: Change) => Change): Store {
  return { ...bound(store), commit: (group) => store.commit(group.map(weaken)) };
}

async function oneByOne(
  group: readonly Change[],
  commit: (change: Change) => Promise<readonly Applied[]>,
): Promise<readonly Applied[]> {
  const applied: Applied[] = [];
  for (const change of group) applied.push(...(await commit(change)));
  return applied;
}

async function headOf(store: Store, { workspaceId }: Change): Promise<{ time: number; epoch: number }> {
  const { epoch } = await store.checkpoint(workspaceId);
  return { time: store.time(), epoch };
}
