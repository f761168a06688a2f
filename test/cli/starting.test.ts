import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Process } from "../../src/cli/console.js";
import { runProgram } from "../../src/cli/program.js";
import { loadedPackages } from "../support/loaded-packages.js";
import { CLI } from "./machine.js";

/** What it prints when it is run in this process. */
async function printed(...argv: readonly string[]): Promise<string> {
  let text = "";
  const stdout = { write: (more: string) => Boolean((text += more)) };
  expect(await runProgram(argv, { stdout, stderr: stdout, env: {} } as unknown as Process)).toBe(0);
  return text;
}

/** What the program names when it is asked for help. */
async function listed(): Promise<string[]> {
  const [, commands = ""] = (await printed("--help")).split("Commands:");
  return [...commands.matchAll(/^ {2}(\w[\w-]*)/gm)].flatMap(([, name]) => name ?? []);
}

describe("the command line", () => {
  it("knows each command that its help names also when that alone is loaded", async () => {
    const names = await listed();
    expect(names).toEqual(expect.arrayContaining(["serve", "hook", "keys", "completion"]));
    for (const name of names.filter((each) => each !== "help")) {
      expect(await printed(name, "--help")).toContain(`Usage: countersign ${name}`);
    }
  });

  it.each([[["hook"]], [["--json", "pending"]], [["login"]]])(
    "starts %j, which others wait for, without the packages that a server stands on",
    async (argv) => {
      const report = mkdtempSync(join(tmpdir(), "countersign-loaded-"));
      onTestFinished(() => rmSync(report, { recursive: true, force: true }));
      const env = { ...process.env, NODE_V8_COVERAGE: report };
      execFileSync(process.execPath, [CLI, ...argv, "--help"], { env });
      expect(await loadedPackages(report)).toEqual(["commander"]);
    },
  );
});
