import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLI } from "./machine.js";

/** A person's environment, without a setting of ours. */
function plainEnvironment(home: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("COUNTERSIGN_"));
  return { ...Object.fromEntries(own), XDG_STATE_HOME: home };
}

/** Runs a server until the test ends, and gives the lines that it opened with. */
async function started(flags: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [CLI, "serve", ...flags], { env, stdio: ["ignore", "pipe", "ignore"] });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const stop = () => {
    child.kill("SIGTERM");
    return gone;
  };
  // Awaited: its folder is removed after that.
  onTestFinished(async () => {
    await stop();
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.push(line) === 3) return { lines, stop };
  }
  throw new Error(`The server ended: ${lines.join("\n")}`);
}

describe("countersign serve", () => {
  it("names the command that makes a link to this very server, wherever it is typed", async () => {
    const home = mkdtempSync(join(tmpdir(), "countersign serve-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const data = join(home, "data");
    const env = plainEnvironment(home);
    const first = await started(["--port", "0", "--data", data], env);
    expect(first.lines[2]).toBe(`Sign in      ${join(data, "sign-in-link")}`);
    await first.stop();
    const second = await started(["--port", "0"], { ...env, COUNTERSIGN_DATA: data });
    const url = second.lines[0]?.split(/\s+/)[1] ?? "";
    const command = /or: countersign (link .*)$/.exec(second.lines[2] ?? "")?.[1] ?? "";
    const words = ["-c", `"$0" "$1" ${command}`, process.execPath, CLI];
    const { stdout } = await promisify(execFile)("/bin/sh", words, { env });
    expect(readFileSync(stdout.trim(), "utf8")).toMatch(new RegExp(`^${url}/start#t=`));
  });
});
