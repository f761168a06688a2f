// Runs a group's tests for Stryker, mutant after mutant in one process, where everything stays loaded and warm: starting a thread
// for each, and compiling the parsers' wasm in it, takes ten times as long. A mutant of what is built or loaded only once would
// not show there: those that are known to be such, and all that nobody noticed, run in modules of their own.
import { relative, resolve } from "node:path";
import {
  DryRunStatus,
  determineHitLimitReached,
  MutantRunStatus,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { createServer, createServerModuleRunner } from "vite";
import { startTests } from "vitest/internal/browser";
import { GROUP_VARIABLE, groupOf } from "./groups.mjs";

/** @typedef {import("@stryker-mutator/api/test-runner").TestRunner} TestRunner */
/** @typedef {import("@stryker-mutator/api/test-runner").TestResult} TestResult */
/** @typedef {import("@stryker-mutator/api/test-runner").CompleteDryRunResult} Result */
/** @typedef {import("vite/module-runner").ModuleRunner} Modules */
/** @typedef {import("vitest").RunnerTask} Task */
/** @typedef {import("vitest").RunnerTestCase} Test */
/** @typedef {{ loaded?: () => void, wants?: (id: string) => boolean, ended?: (test: Test) => void }} Hooks */

/** What the changed code reads, to know which change is on, and where it counts what it passes. @type {Record<string, any>} */
const state = {};
Object.assign(globalThis, { __stryker__: state });

const CONFIG = {
  root: process.cwd(),
  setupFiles: [],
  sequence: { seed: 0, hooks: "stack", setupFiles: "list" },
  maxConcurrency: 1,
  // A mutant that waits for ever is ended by Stryker; on a busy machine a shorter time would call slow ones noticed.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  retry: 0,
  tags: [],
};

/** @implements {TestRunner} */
class InProcessRunner {
  files = groupOf(process.env[GROUP_VARIABLE]).tests.map((file) => resolve(file));
  /** Whether what the warm modules keep, which is a parser once loaded, comes from code without any change. */
  isWarm = false;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    this.server = await createServer({
      configFile: false,
      appType: "custom",
      logLevel: "error",
      server: { middlewareMode: true, watch: null, ws: false },
      optimizeDeps: { noDiscovery: true },
    });
    this.warm = createServerModuleRunner(this.server.environments.ssr, { hmr: false });
    this.fresh = createServerModuleRunner(this.server.environments.ssr, { hmr: false });
  }

  async dispose() {
    await this.warm?.close();
    await this.fresh?.close();
    await this.server?.close();
  }

  /** @type {TestRunner["dryRun"]} */
  async dryRun() {
    const result = await run(this.warm, this.files, {
      wants: (id) => {
        state.currentTestId = id;
        return true;
      },
      ended: () => {
        state.currentTestId = undefined;
      },
    });
    this.isWarm = true;
    return { ...result, mutantCoverage: state.mutantCoverage };
  }

  /** @type {TestRunner["mutantRun"]} */
  async mutantRun(options) {
    if (options.mutantActivation === "runtime") {
      Object.assign(state, { activeMutant: undefined, hitCount: undefined });
      if (!this.isWarm) await run(this.warm, this.files, {});
      this.isWarm = true;
      const result = await this.mutantRunIn(this.warm, options);
      if (result.status !== MutantRunStatus.Survived) return result;
    }
    this.fresh?.clearCache();
    return this.mutantRunIn(this.fresh, options);
  }

  async mutantRunIn(
    /** @type {Modules | undefined} */ modules,
    /** @type {import("@stryker-mutator/api/test-runner").MutantRunOptions} */
    { activeMutant, testFilter, hitLimit, mutantActivation },
  ) {
    Object.assign(state, { activeMutant: undefined, hitLimit, hitCount: 0 });
    const activate = () => {
      state.activeMutant = activeMutant.id;
    };
    if (mutantActivation === "static") activate();
    const names = testFilter && new Set(testFilter);
    const used = testFilter && new Set(testFilter.map((id) => resolve(id.slice(0, id.indexOf("#")))));
    let noticed = false;
    const result = await run(modules, used === undefined ? this.files : this.files.filter((file) => used.has(file)), {
      loaded: activate,
      // One test that notices is enough.
      wants: (id) => !noticed && names?.has(id) !== false,
      ended: (test) => {
        noticed ||= test.result?.state === "fail";
      },
    });
    return toMutantRunResult(determineHitLimitReached(state.hitCount, hitLimit) ?? result);
  }
}

/** @returns {Promise<Result>} */
async function run(
  /** @type {Modules | undefined} */ modules,
  /** @type {string[]} */ files,
  /** @type {Hooks} */ { loaded, wants, ended },
) {
  if (modules === undefined) throw new Error("The runner has not been started.");
  const suites = await startTests(files, {
    config: /** @type {any} */ (CONFIG),
    // A test file says what its tests are while it is loaded.
    importFile: (file) => {
      const node = modules.evaluatedModules.getModuleById(file);
      if (node !== undefined) modules.evaluatedModules.invalidateModule(node);
      return modules.import(file);
    },
    ...(loaded && { onBeforeRunFiles: loaded }),
    onBeforeRunTask: (test) => {
      if (wants?.(idOf(test)) === false) test.mode = "skip";
    },
    ...(ended && { onAfterRunTask: ended }),
  });
  return { status: DryRunStatus.Complete, tests: suites.flatMap(results) };
}

/** What came of a test, or of each one in a suite. A file that cannot be loaded has failed. @returns {TestResult[]} */
function results(/** @type {Task} */ task) {
  const { result } = task;
  const failed = result?.state === "fail";
  if (task.type === "suite" && !(failed && task.tasks.length === 0)) return task.tasks.flatMap(results);
  const common = { id: idOf(task), name: task.name, fileName: task.file.filepath, timeSpentMs: result?.duration ?? 0 };
  if (failed)
    return [{ ...common, status: TestStatus.Failed, failureMessage: result?.errors?.[0]?.message ?? "It failed." }];
  return [{ ...common, status: result?.state === "pass" ? TestStatus.Success : TestStatus.Skipped }];
}

/** The file, and the titles down to the test. @returns {string} */
function idOf(/** @type {Task} */ task) {
  const titles = [];
  for (let at = /** @type {Task | undefined} */ (task); at !== undefined; at = at.suite) titles.unshift(at.name);
  return `${relative(process.cwd(), task.file.filepath)}#${titles.join(" ")}`;
}

export const strykerPlugins = [{ kind: "TestRunner", name: "in-process", injectableClass: InProcessRunner }];
