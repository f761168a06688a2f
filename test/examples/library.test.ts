import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../project/source-scan.js";

it("examples/library asks, is answered and proves it, without a server; docs/quick-start.md quotes it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-library-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(ROOT, "examples", "library", "library.mjs");
  expect(readFileSync(join(ROOT, "docs", "quick-start.md"), "utf8")).toContain(readFileSync(file, "utf8").trimEnd());
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
  expect(stdout).toContain('Delete task "7" for good? · Not run yet: waiting for a person');
  expect(stdout).toContain("{ deleted: '7' }");
  expect(stdout).toContain("ok: true");
});
