import assert from "node:assert/strict";
import type { Clock, Store } from "../../core/ports.js";
import { type FakeClock, fakeClock } from "../clock.js";
import type { StoreTest } from "./bench.js";
import { CHAIN_TESTS } from "./chain.js";
import { COMMIT_TESTS } from "./commits.js";
import { CONDITION_TESTS } from "./conditions.js";
import { ERASURE_TESTS } from "./erasure.js";
import { GROUP_TESTS } from "./groups.js";
import { KEY_TESTS } from "./keys.js";
import { LIFE_TESTS } from "./life.js";
import { READING_TESTS } from "./reading.js";
import { TRACE_TESTS } from "./traces.js";

/** The two functions needed of a test runner; those of Vitest, Jest and node:test fit. */
export interface Runner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: {
    (name: string, run: () => Promise<void>): unknown;
    skip(name: string, run: () => Promise<void>): unknown;
  };
}

export interface ContractOptions {
  /** Opens the data of the store that was opened last once more, beside it. Stores that promise to last or to be shared need it. */
  readonly reopen?: (clock: Clock) => Store | Promise<Store>;
  /** Tests this store cannot pass, each with the reason its users will read. */
  readonly skip?: readonly { readonly test: string; readonly reason: string }[];
}

const TESTS: readonly StoreTest[] = [
  ...COMMIT_TESTS,
  ...GROUP_TESTS,
  ...TRACE_TESTS,
  ...CONDITION_TESTS,
  ...KEY_TESTS,
  ...READING_TESTS,
  ...CHAIN_TESTS,
  ...ERASURE_TESTS,
  ...LIFE_TESTS,
];

/**
 * Everything the gate needs of a store, as tests. `open` gives an empty store that reads the given clock, for each test anew.
 * The last test fails unless all the others ran, so that a suite that ran nothing is not taken for one that passed.
 */
export function describeStore(
  { describe, it }: Runner,
  name: string,
  open: (clock: Clock) => Store | Promise<Store>,
  options: ContractOptions = {},
): void {
  const reasons = reasonsOf(options);
  const tests = TESTS.filter((test) => test.reopens !== true || options.reopen !== undefined);
  const expected = tests.filter((test) => !reasons.has(test.name)).length;
  let ran = 0;
  describe(`the ${name} store`, () => {
    for (const test of tests) {
      const reason = reasons.get(test.name);
      const run = async () => {
        ran++;
        await runTest(test, open, options);
      };
      if (reason === undefined) it(test.name, run);
      else it.skip(`${test.name} (skipped: ${reason})`, run);
    }
    it(`ran all ${expected} tests of the contract`, async () => assert.equal(ran, expected));
  });
}

function reasonsOf({ skip = [] }: ContractOptions): Map<string, string> {
  for (const { test, reason } of skip) {
    assert.ok(
      TESTS.some(({ name }) => name === test),
      `The contract has no test named "${test}" that could be skipped.`,
    );
    assert.notEqual(reason.trim(), "", `Skipping "${test}" needs a reason.`);
  }
  return new Map(skip.map(({ test, reason }) => [test, reason]));
}

async function runTest(
  test: StoreTest,
  open: (clock: Clock) => Store | Promise<Store>,
  { reopen }: ContractOptions,
): Promise<void> {
  const clock: FakeClock = fakeClock();
  const opened: Store[] = [];
  const keep = (store: Store) => {
    opened.push(store);
    return store;
  };
  const store = keep(await open(clock));
  try {
    const { durable, shared } = store.promises();
    assert.ok(
      reopen !== undefined || !(durable || shared),
      "A store that promises to last or to be shared proves it: pass `reopen`.",
    );
    await test.run({
      store,
      clock,
      reopen: async () => keep(await (reopen as NonNullable<typeof reopen>)(clock)),
    });
  } finally {
    for (const each of opened) await each.close();
  }
}
