// What all groups of mutants have in common; run.mjs adds the files of a group.

export default {
  testRunner: "in-process",
  plugins: ["./test/mutation/runner.mjs"],
  coverageAnalysis: /** @type {const} */ ("perTest"),
  concurrency: 2,
  // A mutant that runs for ever mostly ends itself by passing its own place too often; a slow machine must not look like one.
  timeoutMS: 60_000,
  ignorePatterns: ["dist", "coverage", ".setup", "docs", "bench"],
  tempDirName: ".mutation",
  cleanTempDir: "always",
  reporters: [],
  logLevel: "error",
  thresholds: { high: 100, low: 90, break: 90 },
};
