// node test/mutation/run.mjs [group…]: changes the code in small ways, one at a time, and looks whether a test notices. Prints
// one line for each file, after the mutants that no test noticed; fails when a file is below what is required.
import { relative } from "node:path";
import { performance } from "node:perf_hooks";
import { Stryker } from "@stryker-mutator/core";
import { GROUP_VARIABLE, GROUPS, groupOf } from "./groups.mjs";
import common from "./stryker.config.mjs";

/** @typedef {import("@stryker-mutator/api/core").MutantResult} Mutant */
/** @typedef {{ file: string, mutants: number, killed: number, survived: number, score: number }} Row */

const REQUIRED = common.thresholds.break;

/** @returns {Promise<Mutant[]>} */
async function mutate(/** @type {string} */ name) {
  const { mutate, ignoreStatic = false } = groupOf(name);
  // The processes that run the tests find their group there.
  process.env[GROUP_VARIABLE] = name;
  const start = performance.now();
  const mutants = await new Stryker({
    configFile: "test/mutation/stryker.config.mjs",
    mutate,
    ignoreStatic,
  }).runMutationTest();
  console.error(`${name}: ${mutants.length} mutants in ${Math.round((performance.now() - start) / 1000)} s`);
  return mutants;
}

const UNNOTICED = ["Survived", "NoCoverage"];
const NOTICED = ["Killed", "Timeout"];

/** @returns {Row[]} */
function tabulate(/** @type {Mutant[]} */ mutants) {
  const files = new Set(mutants.map(({ fileName }) => fileName));
  return [...files].sort().map((fileName) => {
    const all = mutants.filter((mutant) => mutant.fileName === fileName);
    const killed = all.filter(({ status }) => NOTICED.includes(status)).length;
    const survived = all.filter(({ status }) => UNNOTICED.includes(status)).length;
    const score = killed + survived === 0 ? 100 : (100 * killed) / (killed + survived);
    return { file: relative(process.cwd(), fileName), mutants: killed + survived, killed, survived, score };
  });
}

function show(/** @type {Mutant} */ { fileName, location, mutatorName, replacement, status }) {
  const { line, column } = location.start;
  console.log(`${relative(process.cwd(), fileName)}:${line}:${column} ${mutatorName} ${status}: ${replacement}`);
}

const names = process.argv.slice(2);
const mutants = [];
for (const name of names.length > 0 ? names : Object.keys(GROUPS)) mutants.push(...(await mutate(name)));
for (const mutant of mutants) if (UNNOTICED.includes(mutant.status)) show(mutant);
const rows = tabulate(mutants);
console.table(rows.map((row) => ({ ...row, score: `${row.score.toFixed(1)} %` })));
const low = rows.filter(({ score }) => score < REQUIRED);
if (low.length > 0) console.error(`Below ${REQUIRED} %: ${low.map(({ file }) => file).join(", ")}`);
process.exitCode = low.length > 0 || rows.length === 0 ? 1 : 0;
