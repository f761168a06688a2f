import { readFileSync, statSync } from "node:fs";
import { type CountersignError, toCountersignError } from "../core/errors.js";
import { type Policy, parsePolicy } from "./policy.js";
import { PolicyError } from "./problem.js";

const LARGEST_FILE = 1_048_576;
const OTHERS_MAY_WRITE = 0o002;
/** How often the file is looked at. Nothing but promptness depends on it. */
const LOOK_EVERY = 1_000;

/** Reads a policy file. Throws a PolicyError when it is absent, unreadable, too large, open to everybody or wrong. */
export function loadPolicy(path: string): Policy {
  return parsePolicy(readText(path), path);
}

export function readText(path: string): string {
  const refuse = (message: string, suggestion: string, cause?: unknown) =>
    new PolicyError(path, [{ path: "", message, suggestion }], cause);
  try {
    const { size, mode } = statSync(path);
    if (size > LARGEST_FILE) throw refuse("The file is larger than 1 MB.", "Split what it protects.");
    // Whoever can write the rules can lift them, and an agent may run as any user of this machine.
    if (process.platform !== "win32" && (mode & OTHERS_MAY_WRITE) !== 0)
      throw refuse("Every user of this machine may write this file.", `Run: chmod o-w ${path}`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    if (cause instanceof PolicyError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw refuse("There is no such file.", "Create it, or leave the policy out on purpose.", cause);
    throw refuse(
      `The file cannot be read (${code ?? message}).`,
      "It has to be UTF-8 text that this process may read.",
      cause,
    );
  }
}

export type PolicyEvent =
  /** Any change counts as tightening: whatever was judged under the old rules is judged again before it starts. */
  | { readonly type: "changed"; readonly policy: Policy; readonly previous: Policy; readonly tightened: true }
  /** The file is wrong or gone. The last good policy stays in force. */
  | { readonly type: "refused"; readonly error: CountersignError; readonly kept: Policy; readonly message: string };

export interface WatchedPolicy {
  /** The policy in force: the last one that passed its checks. */
  readonly current: () => Policy;
  /** Reads the file now instead of at the next look. */
  readonly reload: () => void;
  readonly close: () => void;
}

/** Loads a policy and follows its file. The first load throws; later, a file that is wrong never weakens what stands. */
export function watchPolicy(path: string, onEvent: (event: PolicyEvent) => void): WatchedPolicy {
  let seen = stampOf(path);
  let policy = loadPolicy(path);
  let refused: string | undefined;
  const reload = () => {
    const next = attempt(path);
    if (next instanceof Error) {
      // Said once per fault, not once per look.
      if (next.message === refused) return;
      refused = next.message;
      const message = `${next.message}\nThe policy loaded before stays in force (version ${policy.version.slice(0, 12)}).`;
      onEvent({ type: "refused", error: next, kept: policy, message });
      return;
    }
    refused = undefined;
    if (next.version === policy.version) return;
    const previous = policy;
    policy = next;
    onEvent({ type: "changed", policy, previous, tightened: true });
  };
  // By looking, not by the file system's events: those are lost on network drives and when an editor replaces the file.
  const timer = setInterval(() => {
    const stamp = stampOf(path);
    if (stamp === seen) return;
    seen = stamp;
    reload();
  }, LOOK_EVERY);
  timer.unref();
  return { current: () => policy, reload, close: () => clearInterval(timer) };
}

function attempt(path: string): Policy | CountersignError {
  try {
    return loadPolicy(path);
  } catch (error) {
    return toCountersignError(error);
  }
}

function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino, mode } = statSync(path);
    return [mtimeMs, size, ino, mode].join();
  } catch {
    return "absent";
  }
}
