import assert from "node:assert/strict";
import { newId } from "../../core/ids.js";
import type { Applied, Change, Kind, Put, Store } from "../../core/ports.js";
import { assertVerified, entry, type StoreTest } from "./bench.js";

const ROUNDS = 8;
const CHANGES = 40;
const IDS = ["1", "2", "3", "4", "5"];
const KINDS: readonly Kind[] = ["approval", "approval", "approval", "call", "grant"];
const NAMES = ["k", "l", "m"];
const FAR = Number.MAX_SAFE_INTEGER;

/** The same numbers every time: a store that fails here fails again. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What may be asked of a store, in two places at once that have nothing in common but their content. */
type Asked = (place: string) => Change;

function randomChange(below: (limit: number) => number): Asked {
  const some = <T>(items: readonly T[]) => items.filter(() => below(2) === 0);
  const one = <T>(items: readonly T[]) => items[below(items.length)] as T;
  const records = [
    ...new Map(
      some(IDS)
        .slice(0, 2)
        .map((id) => [id, one(KINDS)]),
    ),
  ];
  const puts = records.map(([id, kind]) => ({
    ...{ id, kind, version: below(3), value: below(6) === 0 ? null : `value ${below(100)}` },
    ...{ indexes: some(NAMES), due: below(2) === 0 ? undefined : 1 + below(3) },
  }));
  const unique = below(3) === 0 ? [{ key: one(NAMES), id: one(IDS), until: below(2) === 0 ? FAR : 0 }] : undefined;
  const counts = below(3) === 0 ? [{ key: one(NAMES), add: below(3) - 1, max: 2 }] : undefined;
  const epoch = below(20) === 0 ? 0 : undefined;
  const tighten = below(40) === 0 ? true : undefined;
  const entries = some(IDS.slice(0, 3)).map((id) => entry({ id }, "thing.happened", id));
  return (place) => ({
    ...{ changeId: newId(), workspaceId: place, epoch, tighten, entries },
    puts: puts.map(
      (put): Put => ({ ...put, id: place + put.id, indexes: put.indexes.map((name) => `${place}/${name}`) }),
    ),
    unique: unique?.map(({ key, id, until }) => ({ key: place + key, id: place + id, until })),
    counts: counts?.map((count) => ({ ...count, key: place + count.key })),
  });
}

/** What was told, without what the two places differ in. */
function told(place: string, applied: Applied): object {
  if (applied.ok) return { ok: true, seq: applied.seq, epoch: applied.epoch };
  const { refused, epoch, current, key, holder } = applied;
  return {
    ...{ refused, epoch, key: key?.slice(place.length), holder: holder?.slice(place.length) },
    current: current && { ...current, id: current.id.slice(place.length) },
  };
}

/** All that can be read of a place afterwards. */
async function left(store: Store, place: string): Promise<object> {
  const own = ({ id, ...rest }: { readonly id: string }) => ({ id: id.slice(place.length), ...rest });
  const lists = await Promise.all(NAMES.map((name) => store.list(`${place}/${name}`, "", 100)));
  const records = await Promise.all(IDS.flatMap((id) => KINDS.slice(2).map((kind) => store.get(kind, place + id))));
  const due = (await Promise.all(KINDS.slice(2).map((kind) => store.due(kind, 1_000)))).flat();
  const counts = await Promise.all(NAMES.map((name) => store.count(place + name)));
  const entries = await store.entries(place, 0, 1_000);
  return {
    lists: lists.map((listed) => listed.map(own)),
    records: records.map((record) => record && own(record)),
    due: due
      .filter(({ id }) => id.startsWith(place))
      .map(({ kind, id }) => `${kind} ${id.slice(place.length)}`)
      .toSorted(),
    counts,
    entries: entries.map(({ seq, type, ref, content }) => ({ seq, type, ref, content })),
  };
}

export const GROUP_TESTS: readonly StoreTest[] = [
  {
    name: "ends a group as its changes would have ended one by one, and tells each the same",
    async run({ store }) {
      for (let round = 0; round < ROUNDS; round++) {
        const below = numbersFrom(round + 1);
        const asked = Array.from({ length: CHANGES }, () => randomChange(below));
        const together: Applied[] = [];
        const apart: Applied[] = [];
        // Several groups: what one has left behind is what the next is judged by.
        const size = 1 + below(CHANGES);
        for (let start = 0; start < CHANGES; start += size)
          together.push(...(await store.commit(asked.slice(start, start + size).map((of) => of(`together${round}`)))));
        for (const of of asked) apart.push(...(await store.commit([of(`apart${round}`)])));
        assert.deepEqual(
          together.map((applied) => told(`together${round}`, applied)),
          apart.map((applied) => told(`apart${round}`, applied)),
          `round ${round}`,
        );
        assert.deepEqual(await left(store, `together${round}`), await left(store, `apart${round}`), `round ${round}`);
        await assertVerified(store, `together${round}`);
      }
    },
  },
];
