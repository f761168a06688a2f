// One set-up at a time per checkout, without a daemon and without a lock that outlives its owner.
//
// The lock is a directory that holds one file named after its owner. It appears with that file already inside (a rename),
// so nobody ever sees it without an owner. Renaming onto a directory that is not empty fails, so only one can appear.
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const POLL_MS = 200;

/**
 * Runs `work` while no other process runs work under the same path. Waits for a living owner, and says so once; takes
 * over from a dead one.
 * @template T
 * @param {string} path
 * @param {(line: string) => void} say
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, say, work) {
  const owner = ownerName(process.pid);
  const staged = `${path}-${owner}`;
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(staged);
  writeFileSync(join(staged, owner), "");
  try {
    let told = false;
    while (!appears(staged, path)) {
      const other = readOwner(path);
      if (other === undefined) continue;
      if (!isAlive(other)) {
        removeOwner(path, other);
        continue;
      }
      if (!told) say(`waiting for another set-up of this folder to finish (process ${pidOf(other)})`);
      told = true;
      await wait(POLL_MS);
    }
    return await work();
  } finally {
    removeOwner(path, owner);
    rmSync(staged, { recursive: true, force: true });
  }
}

function appears(/** @type {string} */ staged, /** @type {string} */ path) {
  try {
    renameSync(staged, path);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "EPERM"].includes(codeOf(error))) return false;
    throw error;
  }
}

function readOwner(/** @type {string} */ path) {
  try {
    const [owner] = readdirSync(path);
    if (owner === undefined) removeEmpty(path);
    return owner;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes one named owner, never its successor: of two that take over from the same dead owner neither harms the winner. */
export function removeOwner(/** @type {string} */ path, /** @type {string} */ owner) {
  rmSync(join(path, owner), { force: true });
  removeEmpty(path);
}

function removeEmpty(/** @type {string} */ path) {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(codeOf(error))) throw error;
  }
}

export const ownerName = (/** @type {number} */ pid) => `${pid}-${startOf(pid)}-${randomUUID()}`;

const pidOf = (/** @type {string} */ owner) => Number.parseInt(owner, 10);

/** A number is soon given to another process, in containers above all, so its start is compared where it can be read. */
function isAlive(/** @type {string} */ owner) {
  const pid = pidOf(owner);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== "EPERM") return false;
  }
  return owner.split("-")[1] === startOf(pid);
}

function startOf(/** @type {number} */ pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name may hold spaces and brackets; the fields after its last bracket are counted from the third.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

function codeOf(/** @type {unknown} */ error) {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
