// Starting other programs: quietly for set-up steps, or with the terminal handed over for what the user asked to run.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A problem that the person at the terminal can solve: shown as its sentence, without a stack. */
export class Problem extends Error {}

/** The path of a tool installed with the project. */
export const tool = (/** @type {string} */ name) => join(ROOT, "node_modules", ".bin", name);

/** The npm that runs this script if there is one, so that a second npm of another version never writes the tree. */
export function npm(/** @type {string[]} */ ...args) {
  const running = process.env["npm_execpath"];
  return running?.endsWith("npm-cli.js") ? [process.execPath, running, ...args] : ["npm", ...args];
}

/**
 * Runs a command to its end without a terminal and keeps what it printed. Never rejects: a command that cannot be
 * started is a failed one.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export function run([program = "", ...args], env = process.env) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", (error) => resolve({ ok: false, output: `${output}${error.message}\n` }));
    child.on("close", (code) => resolve({ ok: code === 0, output }));
  });
}

/**
 * Runs a command with this terminal, standard input included, and returns its exit code.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>}
 */
export function handOver([program = "", ...args], env = process.env) {
  const child = spawn(program, args, { cwd: ROOT, env, stdio: "inherit" });
  // Ctrl-C reaches the child from the terminal itself; this process only has to outlive it, to report how it ended.
  process.on("SIGINT", () => {});
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGHUP"])) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
}

/**
 * The body of a script: its number is the exit code, and a Problem ends it with a sentence.
 * @param {() => Promise<number>} body
 */
export async function main(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

/** @param {number} since as given by performance.now() */
export function elapsed(since) {
  const ms = performance.now() - since;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
