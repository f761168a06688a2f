import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { CountersignError } from "../core/errors.js";

/** Keeps a secret in a file that only its owner can read. Never replaces one that is there: a key that is lost stays lost. */
function writeKeyFile(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, `${text}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Refuses a file that others on the machine can read: whoever has the key can sign or read in our name. */
function readKeyFile(path: string): string {
  const { mode } = statSync(path);
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    throw new CountersignError("invalid_call", `Others can read the key in ${path}. Run: chmod 600 ${path}`);
  }
  return readFileSync(path, "utf8").trim();
}

/** From the variable where it is set, else from the file; `make` creates the file when it is not there yet. */
export function loadKeyText(from: { readonly path?: string; readonly env?: string }, make?: () => string): string {
  const given = from.env === undefined ? undefined : process.env[from.env]?.trim();
  if (given !== undefined && given !== "") return given;
  if (from.path === undefined)
    throw new CountersignError("unknown_key", `There is no key: set ${from.env ?? "a path"} or name a key file.`);
  try {
    return readKeyFile(from.path);
  } catch (error) {
    if (make === undefined || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  try {
    writeKeyFile(from.path, make());
  } catch (error) {
    // Another process was first: its key is the key.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readKeyFile(from.path);
}
