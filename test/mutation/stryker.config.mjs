// What all groups of mutants have in common; run.mjs adds the files of a group.

export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  // Groups name their tests. By imports alone nearly every test is related to the core.
  vitest: { configFile: "test/mutation/vitest.config.mjs", related: false },
  coverageAnalysis: /** @type {const} */ ("perTest"),
  concurrency: 2,
  timeoutMS: 10_000,
  ignorePatterns: ["dist", "coverage", ".setup", "docs", "bench"],
  tempDirName: ".mutation",
  cleanTempDir: "always",
  reporters: [],
  logLevel: "error",
  thresholds: { high: 100, low: 90, break: 90 },
};
