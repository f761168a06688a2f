// What is mutated, in groups small enough to run one by one, and the tests that have to notice. Only quick tests are named: a
// mutant costs every test that reaches it, and a behaviour that only a whole journey pins down deserves a test of its own.

/**
 * @typedef {object} Group
 * @property {string[]} mutate
 * @property {string[]} tests
 * @property {boolean} [ignoreStatic] leaves out mutants of tables that are built at import: each would cost all tests, and one
 *   with which a module cannot even be loaded would count as unnoticed
 */

// The first test that notices is the last to run for a mutant: those that take long, of limits above all, stand at the end.
const SQL_TESTS = tests("src/analysers/sql", "statement", "lexer", "sqlparser-tree", "condition", "sql-cases", "sql");
const SHELL_TESTS = tests("src/analysers/shell", "parsed", "cases", "analyse");
/** What is known of single programs, beside how the shell combines them. */
const SHELL_PROGRAMS = "src/analysers/shell/{awk,commands*,inspections,interpreters,options,sed,wrappers}.ts";

/** @type {Readonly<Record<string, Group>>} */
export const GROUPS = {
  judge: {
    mutate: ["src/core/judge.ts", "src/core/requirement.ts"],
    tests: tests("src/core", "judge", "requirement"),
  },
  grants: {
    mutate: ["src/core/judging/grants.ts", "src/core/judging/pins.ts"],
    tests: tests("src/core/judging", "grants", "pins"),
  },
  denials: {
    mutate: ["src/core/judging/denials.ts"],
    tests: ["src/core/judging/denials.test.ts", "test/judging/denials.test.ts"],
  },
  budgets: {
    mutate: ["src/core/judging/budgets.ts"],
    tests: ["src/core/judging/budgets.test.ts"],
  },
  settings: {
    mutate: ["src/core/judging/{settings,strictness}.ts"],
    tests: tests("src/core/judging", "settings", "strictness"),
  },
  scope: {
    mutate: ["src/core/judging/scope.ts"],
    tests: ["src/core/judging/scope.test.ts", "test/judging/scope.test.ts"],
  },
  flow: {
    mutate: ["src/core/{classify,decide,claim}.ts"],
    tests: tests("src/core", "classify", "decide", "claim", "judge"),
  },
  url: { mutate: ["src/analysers/url.ts"], tests: ["src/analysers/url.test.ts"] },
  hosts: {
    mutate: ["src/analysers/url-{address,scope,script}.ts"],
    tests: tests("src/analysers", "url-address", "url-scope", "url-script"),
    ignoreStatic: true,
  },
  path: { mutate: ["src/analysers/{path,real-path}.ts"], tests: ["src/analysers/path.test.ts"] },
  places: { mutate: ["src/analysers/sensitive-path.ts"], tests: ["src/analysers/sensitive-path.test.ts"] },
  content: {
    mutate: ["src/analysers/{content,values}.ts"],
    tests: tests("src/analysers", "content", "content-signals", "values"),
  },
  sql: {
    mutate: ["src/analysers/sql/*.ts", "!src/analysers/sql/{postgres,sqlparser}*.ts", "!src/**/*.test.ts"],
    tests: SQL_TESTS,
    ignoreStatic: true,
  },
  postgres: { mutate: ["src/analysers/sql/postgres*.ts", "!src/**/*.test.ts"], tests: SQL_TESTS, ignoreStatic: true },
  sqlparser: { mutate: ["src/analysers/sql/sqlparser*.ts", "!src/**/*.test.ts"], tests: SQL_TESTS, ignoreStatic: true },
  shell: {
    mutate: ["src/analysers/shell/*.ts", `!${SHELL_PROGRAMS}`, "!src/**/*.test.ts"],
    tests: SHELL_TESTS,
    ignoreStatic: true,
  },
  programs: { mutate: [SHELL_PROGRAMS], tests: SHELL_TESTS, ignoreStatic: true },
};

/** @returns {string[]} */
function tests(/** @type {string} */ folder, /** @type {string[]} */ ...names) {
  return names.map((name) => `${folder}/${name}.test.ts`);
}

/** The group that this process and the ones it starts are about. */
export const GROUP_VARIABLE = "COUNTERSIGN_MUTATION_GROUP";

/** @returns {Group} */
export function groupOf(/** @type {string | undefined} */ name) {
  const group = name === undefined || !Object.hasOwn(GROUPS, name) ? undefined : GROUPS[name];
  if (group === undefined) throw new Error(`A group is one of ${Object.keys(GROUPS).join(", ")}; "${name}" is not.`);
  return group;
}
