import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "assistant/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Processes, not threads: native modules, signals and exit codes behave as they do for users.
    pool: "forks",
    // Never one: a test that waits for a child process would hold up all the others.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Ends with the counts of files and tests that passed, failed and were skipped, on a terminal and in a log alike.
    reporters: ["default"],
    // Two runs at once would write the same file of timings.
    cache: false,
  },
});
