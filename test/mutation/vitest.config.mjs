// The tests of one group, for the mutation run.
import { defineConfig } from "vitest/config";
import { GROUP_VARIABLE, groupOf } from "./groups.mjs";

export default defineConfig({
  test: {
    include: groupOf(process.env[GROUP_VARIABLE]).tests,
    // A mutant that waits for ever is killed by the tool's own limit, long before a patient test would notice.
    testTimeout: 10_000,
    cache: false,
  },
});
