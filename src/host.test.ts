import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readlinkSync } from "node:fs";
import { expect, it } from "vitest";
import type { HostProcess } from "./core/ports.js";
import { thisHost } from "./host.js";

const NAMESPACE = "/proc/self/ns/pid";
const host = thisHost();
const { self } = host;

/** A number that a process of this machine had, and nobody has now. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}

it("knows that a process here has ended, and that it runs itself", async () => {
  const ended: HostProcess = { ...self, pid: await endedPid() };
  expect([host.isGone(self), host.isGone(ended)]).toEqual([false, true]);
});

it("knows nothing of processes elsewhere", async () => {
  expect(host.isGone({ ...self, host: "another machine", pid: await endedPid() })).toBe(false);
});

it.skipIf(!existsSync(NAMESPACE))(
  "takes another container on this machine, with the same name and numbers, for elsewhere (fault R19, I1)",
  async () => {
    const own = readlinkSync(NAMESPACE);
    expect(self.host).toContain(own);
    const there = { ...self, host: self.host.replace(own, "pid:[1]"), pid: await endedPid() };
    expect(host.isGone(there)).toBe(false);
  },
);
