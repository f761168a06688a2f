import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { ROOT } from "../project/source-scan.js";

describe("examples/commands", () => {
  it("seed B13, flaw F-B4: asks about six commands in words that depend on their arguments, and runs what was asked", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, "examples", "commands", "main.mjs")], {
      cwd: ROOT,
    });
    expect(stdout).toContain("todo-clear: Delete ALL todos for good, also those not completed?");
    expect(stdout).toContain("All six did what they asked about.");
  });
});
