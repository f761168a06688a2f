import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Host, HostProcess } from "./core/ports.js";

/** The machine and process this gate runs in. */
export function thisHost(): Host {
  const host = `${hostname()}/${bootId()}/${pidNamespace()}`;
  const self: HostProcess = { host, pid: process.pid, started: startedOf(process.pid) };
  return {
    self,
    isGone: (other) => other.host === self.host && (!isRunning(other.pid) || startedOf(other.pid) !== other.started),
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs under another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function bootId(): string {
  return readOrEmpty("/proc/sys/kernel/random/boot_id").trim();
}

/** Containers may share a machine and its name, and number their processes apart: what runs there cannot be seen here. */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return ""; // Not Linux.
  }
}

/** The start time in clock ticks: field 22, counted after the command name, which may hold blanks and brackets. */
function startedOf(pid: number): string {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // Not Linux: the pid alone has to do.
  }
}
