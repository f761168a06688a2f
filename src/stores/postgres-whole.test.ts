import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { postgresMissing } from "../../test/support/postgres.mjs";
import { usePostgres } from "../../test/support/postgres-pool.js";
import { verifyChain } from "../core/audit.js";
import { newId } from "../core/ids.js";
import type { Change, Kind, Store } from "../core/ports.js";
import { fakeClock } from "../testing/index.js";
import { memoryStore } from "./memory.js";
import type { PostgresPool } from "./postgres/driver.js";
import { postgresStore } from "./postgres.js";

const missing = postgresMissing();
const START = 1_000_000;
const NEVER = Number.MAX_SAFE_INTEGER;
const ID = "convert_from(substr(id, 2), 'UTF8')";
/** Each with what names its rows. */
const TABLES = { record: ID, listed: ID, held: "key", counted: "key" };

const clock = fakeClock(START);
/** How often either way was gone. */
const seen = { whole: 0, oneByOne: 0 };
let pool: PostgresPool;

usePostgres((_server, opened) => {
  pool = opened;
});

/** As the release that knew no other way: to it something always stands in the way. */
function oneByOne(): PostgresPool {
  return {
    query: async (query) => (query.name?.endsWith("commitWhole") ? { rows: [{ reply: null }] } : pool.query(query)),
    connect: () => pool.connect(),
    end: () => pool.end(),
  };
}

function openOn(schema: string, on: PostgresPool): Promise<Store> {
  return postgresStore({ pool: on, schema, clock, listen: false });
}

const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const one = fc.constantFrom;

const anyPuts = fc.uniqueArray(
  fc.record({
    kind: one<Kind>("approval", "call"),
    name: fc.nat(19),
    isRight: rarely(fc.boolean()).map((isRight) => isRight ?? true),
    value: one("v", "größer \u{1f600}", "w", "x", "y", null),
    indexes: one(undefined, [], ["a"], ["a", 'b"\\,{}', "ü"], ["ü", "c"], ["c", "c"]),
    due: fc.option(one(0, START), { nil: undefined }),
  }),
  { selector: ({ kind, name }) => `${kind}/${name}`, maxLength: 2 },
);
const anyChange = fc.record({
  workspace: one("w", "w", "w", "v"),
  puts: anyPuts,
  entries: fc.array(
    fc.record({
      type: one("a.b", "c.d"),
      ref: one("", "text", "01a1ebea-0569-715c-997a-b32342f27395"),
      content: one("{}", '{"ü":"\u{1f600}"}'),
    }),
    { maxLength: 2 },
  ),
  unique: fc.uniqueArray(
    fc.record({ key: fc.nat(9), id: one("i", "i", "j"), until: one(NEVER, START + 50, START - 1, 1, 0) }),
    {
      selector: ({ key }) => key,
      maxLength: 1,
    },
  ),
  counts: fc.uniqueArray(
    fc.record(
      {
        key: fc.nat(2),
        add: fc.integer({ min: -2, max: 3 }),
        max: one(100, 3, 2.5, Infinity),
        until: one(NEVER, NEVER, START + 50),
      },
      { requiredKeys: ["key", "add"] },
    ),
    { selector: ({ key }) => key, maxLength: 1 },
  ),
  before: rarely(one(START + 10)),
  after: rarely(one(START + 5)),
  epoch: one(undefined, undefined, 0),
  tighten: rarely(one(true, false)),
  paused: rarely(one(true, false)),
});
type Drawn = typeof anyChange extends fc.Arbitrary<infer T> ? T : never;
const anySteps = fc.array(
  fc.record({ group: fc.array(anyChange, { minLength: 1, maxLength: 4 }), time: fc.integer({ min: -5, max: 20 }) }),
  { minLength: 1, maxLength: 6 },
);

/** Names of their own for each run, so that nothing has to be emptied. A right put names the version that stands there. */
async function drawnToChange(drawn: Drawn, run: number, store: Store): Promise<Change> {
  const nameOf = (name: unknown) => `${run}/${String(name)}`;
  const { workspace, puts, unique, counts, ...rest } = drawn;
  return {
    ...rest,
    changeId: newId(),
    workspaceId: nameOf(workspace),
    puts: await Promise.all(
      puts.map(async ({ name, isRight, ...put }) => {
        const version = (await store.get(put.kind, nameOf(name)))?.version ?? 0;
        return { ...put, id: nameOf(name), version: isRight ? version : version + 1 };
      }),
    ),
    unique: unique.map(({ key, ...held }) => ({ key: nameOf(key), ...held })),
    counts: counts.map(({ key, ...counted }) => ({ key: nameOf(key), ...counted })),
  };
}

/** The first change of a workspace is one that always has its head in its way. */
function beginning(workspaceId: string): Change {
  return { changeId: newId(), workspaceId, puts: [], entries: [{ type: "workspace.begun", ref: "", content: "{}" }] };
}

async function rowsOf(schema: string, run: number): Promise<unknown[]> {
  const tables = Object.entries(TABLES).map(([table, name]) =>
    pool.query({
      text: `SELECT t::text FROM ${schema}.${table} AS t WHERE ${name} LIKE $1 ORDER BY 1`,
      values: [`${run}/%`],
    }),
  );
  return (await Promise.all(tables)).map(({ rows }) => rows);
}

/** All but what is drawn at random, in a chain that holds. */
async function chainOf(store: Store, workspaceId: string): Promise<unknown> {
  const entries = await store.entries(workspaceId, 0, 1_000);
  const { hash: _, ...head } = await store.checkpoint(workspaceId);
  expect(verifyChain(workspaceId, entries, [await store.checkpoint(workspaceId)]).ok).toBe(true);
  return { head, entries: entries.map(({ seq, time, type, ref, content }) => ({ seq, time, type, ref, content })) };
}

describe.skipIf(missing !== undefined)(`a group written as a whole ${missing ?? ""}`, () => {
  it("ends as one judged change by change does, also beside an instance that knows no other way", async () => {
    const counted: PostgresPool = {
      ...oneByOne(),
      query: async (query) => {
        const answer = await pool.query(query);
        if (query.name?.endsWith("commitWhole") && (answer.rows[0] as { reply: unknown }).reply !== null) seen.whole++;
        if (query.name?.endsWith("commit")) seen.oneByOne++;
        return answer;
      },
    };
    const memory = memoryStore({ clock });
    const whole = await openOn("whole", counted);
    const slow = await openOn("one_by_one", oneByOne());
    const mixed = [await openOn("mixed", pool), await openOn("mixed", oneByOne())];
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(anySteps, async (drawn) => {
        const run = ++runs;
        clock.set(START);
        const begin = ["w", "v"].map((workspace) => beginning(`${run}/${workspace}`));
        for (const store of [memory, whole, slow, mixed[0] as Store]) await store.commit(begin);
        for (const [index, { group, time }] of drawn.entries()) {
          clock.set(clock.now() + time);
          const changes = await Promise.all(group.map((each) => drawnToChange(each, run, memory)));
          const applied = await memory.commit(changes);
          for (const store of [whole, slow, mixed[index % 2] as Store])
            expect(await store.commit(changes)).toEqual(applied);
        }
        const rows = await rowsOf("whole", run);
        for (const schema of ["one_by_one", "mixed"]) expect(await rowsOf(schema, run)).toEqual(rows);
        for (const workspaceId of [`${run}/w`, `${run}/v`]) {
          const chain = await chainOf(memory, workspaceId);
          for (const store of [whole, slow, ...mixed]) expect(await chainOf(store, workspaceId)).toEqual(chain);
        }
      }),
      { numRuns: 150 },
    );
    // Both ways were gone often, or this test says nothing.
    expect(Math.min(seen.whole, seen.oneByOne)).toBeGreaterThan(50);
  }, 120_000);
});
