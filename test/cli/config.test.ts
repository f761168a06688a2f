import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLI } from "./machine.js";

describe("countersign config check", () => {
  it.each([
    [["--json"], "postgres://app:hunter2@db/countersign", "postgres://app:•••@db/countersign"],
    [[], "postgres://app:hunter2@db/countersign", "postgres://app:•••@db/countersign"],
    [[], "redis://:hunt@hunter2@db", "redis://:•••@db"],
    [[], "postgres://db/countersign?user=app&password=hunter2", "postgres://db/countersign?user=app&password=•••"],
  ])("tells no password of a database, %j %s", async (flags, store, told) => {
    const data = mkdtempSync(join(tmpdir(), "countersign-config-"));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const env = { ...process.env, COUNTERSIGN_DATA: data, COUNTERSIGN_STORE: store };
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...flags, "config", "check"], { env });
    expect(stdout).toContain(told);
    expect(stdout).not.toMatch(/hunt/);
  });
});
