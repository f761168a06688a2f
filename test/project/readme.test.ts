import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-readme-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the README", () => {
  it("stays under 150 lines", () => {
    expect(README.split("\n").length).toBeLessThan(150);
  });

  it("quotes the quick start that runs", async () => {
    const file = join(ROOT, "examples/quick-start/quick-start.mjs");
    expect(README).toContain(readFileSync(file, "utf8").trimEnd());
    const { stdout } = await run(process.execPath, [file], { cwd: folder });
    expect(stdout).toContain('Delete task "7" for good? · Not run yet: waiting for a person');
    expect(stdout).toContain("{ deleted: '7' }");
    expect(stdout).toContain("ok: true");
  });

  it("names only commands that the package has", () => {
    const commands = [...README.matchAll(/^npm (?:run )?(start|test(?::long)?|check|bench)/gm)].map(
      (match) => match[1] ?? "",
    );
    expect(commands.toSorted()).toEqual(["bench", "check", "start", "test", "test:long"]);
    for (const command of commands) expect(Object.keys(manifest.scripts)).toContain(command);
  });

  it("links only to files that exist", () => {
    const links = [...README.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? "");
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
  });
});
