// node test/mutation/run.mjs [group…]: changes the code in small ways, one at a time, and looks whether a test notices. Lists the
// changes that nobody noticed, then one line for each file; fails when a file is below what is required. While working on one file,
// `run.mjs <group> <file>…` leaves the group's other files as they are, and `<file>:<line>-<line>` the file's other lines.
import { relative } from "node:path";
import { performance } from "node:perf_hooks";
import { Stryker } from "@stryker-mutator/core";
import { GROUP_VARIABLE, GROUPS, groupOf } from "./groups.mjs";
import common from "./stryker.config.mjs";

/** @typedef {import("@stryker-mutator/api/core").MutantResult} Mutant */
/** @typedef {{ file: string, mutants: number, killed: number, timeouts: number, survived: number, score: number }} Row */

const REQUIRED = common.thresholds.break;
const UNNOTICED = ["Survived", "NoCoverage"];

/** @returns {Promise<Mutant[]>} */
async function runGroup(/** @type {string} */ name) {
  const { mutate: whole, ignoreStatic = false } = groupOf(name);
  const mutate = files.length > 0 ? files : whole;
  // The processes that run the tests find their group there.
  process.env[GROUP_VARIABLE] = name;
  const start = performance.now();
  const options = { configFile: "test/mutation/stryker.config.mjs", mutate, ignoreStatic };
  const mutants = await new Stryker(options).runMutationTest();
  for (const mutant of mutants) if (UNNOTICED.includes(mutant.status)) show(mutant);
  console.error(`${name}: ${mutants.length} mutants in ${Math.round((performance.now() - start) / 1000)} s`);
  return mutants;
}

function show(/** @type {Mutant} */ { fileName, location, mutatorName, replacement, status }) {
  const { line, column } = location.start;
  console.log(`${relative(process.cwd(), fileName)}:${line}:${column} ${mutatorName} ${status}: ${replacement}`);
}

/** Mutants that could not be run, or were left out on purpose, count neither way. @returns {Row[]} */
function tabulate(/** @type {Mutant[]} */ mutants) {
  const files = new Set(mutants.map(({ fileName }) => fileName));
  return [...files].sort().map((fileName) => {
    const own = mutants.filter((mutant) => mutant.fileName === fileName);
    const timeouts = own.filter(({ status }) => status === "Timeout").length;
    const killed = own.filter(({ status }) => status === "Killed").length;
    const survived = own.filter(({ status }) => UNNOTICED.includes(status)).length;
    const counted = killed + timeouts + survived;
    const score = counted === 0 ? 100 : (100 * (counted - survived)) / counted;
    return { file: relative(process.cwd(), fileName), mutants: counted, killed, timeouts, survived, score };
  });
}

const files = process.argv.slice(2).filter((argument) => argument.includes(".ts"));
const named = process.argv.slice(2).filter((argument) => !files.includes(argument));
const names = named.length > 0 ? named : Object.keys(GROUPS);
// A name that is none is found before an hour has gone into the others.
for (const name of names) groupOf(name);
const mutants = [];
for (const name of names) mutants.push(...(await runGroup(name)));
const rows = tabulate(mutants);
console.table(rows.map((row) => ({ ...row, score: `${row.score.toFixed(1)} %` })));
const low = rows.filter(({ score }) => score < REQUIRED).map(({ file }) => file);
if (low.length > 0) console.error(`Below ${REQUIRED} %: ${low.join(", ")}`);
process.exitCode = low.length > 0 || rows.length === 0 ? 1 : 0;
