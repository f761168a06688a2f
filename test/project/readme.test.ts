import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import manifest from "../../package.json" with { type: "json" };

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

  it("quotes the quick start, which waits for the click in the inbox and then runs once (I2)", async () => {
    const file = join(ROOT, "examples/quick-start/quick-start.mjs");
    expect(README).toContain(readFileSync(file, "utf8").trimEnd());
    const env = { ...process.env, COUNTERSIGN_DATA: folder, COUNTERSIGN_PORT: "0" };
    const child = spawn(process.execPath, [file], { cwd: folder, env });
    let said = "";
    child.stdout.on("data", (data: Buffer) => {
      said += data.toString("utf8");
    });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const link = await vi.waitUntil(() => /http:\S+/.exec(said)?.[0], { timeout: 60_000 });
    await clickApprove(new URL(link));
    expect(await ended).toBe(0);
    expect(said).toContain("deleted: '7'");
  });

  it("names only commands that the package has", () => {
    const commands = [...README.matchAll(/^npm (?:run )?(start|demo|test(?::long)?|check|bench)/gm)].map(
      (match) => match[1] ?? "",
    );
    expect(commands.toSorted()).toEqual(["bench", "check", "demo", "start", "test", "test:long"]);
    for (const command of commands) expect(Object.keys(manifest.scripts)).toContain(command);
  });

  it("links only to files that exist", () => {
    const links = [...README.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? "");
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
  });
});

/** What the owner does in the browser: the link signs them in, they see the card, they say yes to exactly it. */
async function clickApprove({ origin, hash }: URL): Promise<void> {
  const send = (path: string, body: unknown, cookie = "") =>
    fetch(`${origin}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", origin, cookie },
      body: JSON.stringify(body),
    });
  const signedIn = await send("/v1/auth/link", { token: hash.slice("#t=".length) });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const approval = await vi.waitUntil(
    async () => {
      const response = await fetch(`${origin}/v1/approvals`, { headers: { cookie } });
      const { approvals } = (await response.json()) as { approvals: { approvalId: string; toolCallHash: string }[] };
      return approvals[0];
    },
    { timeout: 60_000 },
  );
  const { approvalId, toolCallHash } = approval;
  const decided = await send(`/v1/approvals/${approvalId}/decision`, { decision: "approve", toolCallHash }, cookie);
  expect(decided.status).toBe(200);
}
