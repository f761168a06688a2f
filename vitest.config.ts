import { availableParallelism } from "node:os";
import { defaultExclude, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take a minute or more. They begin first, so that none of them runs alone at the end. */
const LONG = /test\/(model|instances|web)\//;

const ALL = ["src/**/*.test.ts", "test/**/*.test.ts", "assistant/**/*.test.ts"];
/** Files that start or end processes, replace modules, variables or signals of their own, or run other files' tests once more. */
const ALONE = [
  "src/{stores,proof,remote}/**/*.test.ts",
  "test/{assistant,cli,crash,demo,examples,instances,model,project,redis,server}/**/*.test.ts",
  "**/missing-package*.test.ts",
  "src/server/identity/postgres-database.test.ts",
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...usual.filter(isLong), ...usual.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    projects: [
      // Starting a process and loading the same modules into it takes longer than the tests of most files: all others share.
      { extends: true, test: { name: "shared", include: ALL, exclude: [...ALONE, ...defaultExclude], isolate: false } },
      { extends: true, test: { name: "alone", include: ALONE } },
    ],
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
