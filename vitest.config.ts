import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take a minute or more. They begin first, so that none of them runs alone at the end. */
const LONG = /test\/(model|instances|web)\//;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...usual.filter(isLong), ...usual.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "assistant/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Processes, not threads: native modules, signals and exit codes behave as they do for users.
    pool: "forks",
    // Never one: a test that waits for a child process would hold up all the others.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongFirst },
    // Ends with the counts of files and tests that passed, failed and were skipped, on a terminal and in a log alike.
    reporters: ["default"],
    // Two runs at once would write the same file of timings.
    cache: false,
  },
});
