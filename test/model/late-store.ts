import type { Clock, Store } from "../../src/core/ports.js";

/** A store that is still being opened: whatever is asked of it waits until it is there. */
export function lateStore(opening: Promise<Store>, clock: Clock): Store {
  // Whoever asks first is told why it could not be opened.
  opening.catch(() => undefined);
  return {
    commit: async (group) => (await opening).commit(group),
    changed: async (ids) => (await opening).changed(ids),
    get: async (kind, id) => (await opening).get(kind, id),
    list: async (index, after, limit) => (await opening).list(index, after, limit),
    latest: async (index, before, limit) => (await opening).latest(index, before, limit),
    due: async (kind, limit) => (await opening).due(kind, limit),
    count: async (key) => (await opening).count(key),
    entries: async (workspaceId, after, limit) => (await opening).entries(workspaceId, after, limit),
    erase: async (refs, entry) => (await opening).erase(refs, entry),
    checkpoint: async (workspaceId, signed) => (await opening).checkpoint(workspaceId, signed),
    watch(listener) {
      let watching = true;
      const stopping = opening.then((store) => (watching ? store.watch(listener) : () => undefined));
      return () => {
        watching = false;
        void stopping.then((stop) => stop());
      };
    },
    time: () => clock.now(),
    promises: () => ({ engine: "late", durable: true, shared: true, text: "Being opened." }),
    close: async () => (await opening).close(),
  };
}
