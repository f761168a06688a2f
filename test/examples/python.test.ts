import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { isCi, isPresent } from "../../scripts/setup/system-packages.mjs";
import { Machine } from "../cli/machine.js";
import { ROOT } from "../project/source-scan.js";

const machine = new Machine();
const missing = !isPresent("python3") && !isCi(process.env["CI"]) && "python3 is missing";

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-python-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "report.txt");
  writeFileSync(file, "x");
  return file;
}

/** Python as a user runs the example. */
function deletes(file: string, key: string, url = machine.url): Promise<{ code: number; said: string }> {
  const program = join(ROOT, "examples", "python", "delete_file.py");
  const env = { ...process.env, COUNTERSIGN_KEY: key, COUNTERSIGN_URL: url, PYTHONDONTWRITEBYTECODE: "1" };
  return new Promise((resolve) => {
    execFile("python3", [program, file], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    );
  });
}

it("docs/adapters/http.md quotes the example", () => {
  const example = readFileSync(join(ROOT, "examples", "python", "delete_file.py"), "utf8");
  expect(readFileSync(join(ROOT, "docs", "adapters", "http.md"), "utf8")).toContain(example.trimEnd());
});

describe.skipIf(missing)(`examples/python${missing ? `: ${missing}` : ""}`, () => {
  let key = "";
  beforeAll(async () => {
    await machine.start();
    key = await machine.agentKey(["files.delete"]);
    return () => machine.end();
  });

  it("asks, waits, claims, runs here once and reports", async () => {
    const file = newFile();
    const running = deletes(file, key);
    const question = await machine.asked();
    expect([question.card.tool, question.riskTier]).toEqual(["files.delete", "R4"]);
    expect(existsSync(file)).toBe(true);
    await machine.answer("approve");
    expect(await running).toEqual({ code: 0, said: expect.stringContaining("succeeded") });
    expect(existsSync(file)).toBe(false);
    const { state } = await machine.browser<{ state: string }>("GET", `/v1/approvals/${question.approvalId}`);
    expect(state).toBe("succeeded");
  });

  it("invariant I3: runs what a person changed, and not what was asked", async () => {
    const [asked, wanted] = [newFile(), newFile()];
    const running = deletes(asked, key);
    await machine.asked();
    await machine.answer("approve", { args: { path: wanted } });
    expect((await running).code).toBe(0);
    expect([existsSync(asked), existsSync(wanted)]).toEqual([true, false]);
  });

  it("runs nothing when a person says no, and tells why", async () => {
    const file = newFile();
    const running = deletes(file, key);
    await machine.asked();
    await machine.answer("deny", { reason: "we still need it" });
    expect(await running).toEqual({ code: 1, said: expect.stringMatching(/denied: .*we still need it/) });
    expect(existsSync(file)).toBe(true);
  });

  it("reports a failure as one", async () => {
    const running = deletes(join(tmpdir(), "countersign-no-such-file"), key);
    const { approvalId } = await machine.answer("approve");
    expect(await running).toEqual({ code: 1, said: expect.stringMatching(/failed: .*No such file/) });
    const { state } = await machine.browser<{ state: string }>("GET", `/v1/approvals/${approvalId}`);
    expect(state).toBe("failed");
  });

  it("invariant I8: refuses when no server answers, and when the key does not cover the tool", async () => {
    const file = newFile();
    expect(await deletes(file, key, "http://localhost:9")).toEqual({
      code: 1,
      said: expect.stringContaining("Not run: no server answers"),
    });
    const other = await machine.agentKey(["notes.*"]);
    expect(await deletes(file, other)).toEqual({ code: 1, said: expect.stringContaining("Not run: ") });
    expect(existsSync(file)).toBe(true);
  });
});
