import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLI } from "./machine.js";

describe("countersign config check", () => {
  it.each([[["--json"]], [[]]])("tells no password of a database, %j", async (flags) => {
    const data = mkdtempSync(join(tmpdir(), "countersign-config-"));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const env = { ...process.env, COUNTERSIGN_DATA: data, COUNTERSIGN_STORE: "postgres://app:hunter2@db/countersign" };
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...flags, "config", "check"], { env });
    expect(stdout).toContain("postgres://app:•••@db/countersign");
    expect(stdout).not.toContain("hunter2");
  });
});
