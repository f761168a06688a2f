import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analysePath } from "./path.js";

let base = "";

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "path-")));
  await mkdir(join(base, "app/src/deep"), { recursive: true });
  await mkdir(join(base, "app-evil"));
  await mkdir(join(base, "app/.git/hooks"), { recursive: true });
  await mkdir(join(base, "straße"));
  await mkdir(join(base, "outside/inner"), { recursive: true });
  await writeFile(join(base, "app/src/a.txt"), "a");
  await writeFile(join(base, "outside/secret"), "s");
  await writeFile(join(base, "app/.env"), "K=1");
  const links: Record<string, string> = {
    "app/to-outside": "../outside",
    "app/to-secret": "../outside/secret",
    "app/to-src": "src",
    "app/to-deep": "src/deep",
    "app/absolute": join(base, "outside"),
    "app/to-root": "/",
    "app/dangling-out": "../outside/new-file",
    "app/dangling-in": "src/new-file",
    "app/loop-a": "loop-b",
    "app/loop-b": "loop-a",
    "app/self": "self",
    "app/chain-1": "chain-2",
    "app/chain-2": "to-outside",
    "app/to-env": ".env",
    "app/to-fd": "/proc/self/fd/0",
    "app/to-stdin": "/dev/stdin",
    "app/inner-link": "../outside/inner",
    "root-link": "app",
  };
  for (const [from, to] of Object.entries(links)) await symlink(to, join(base, from));
});

afterAll(() => rm(base, { recursive: true }));

type Row = readonly [path: string, code: string | undefined];

/** Rows under `attack`: relative ones start from the app folder, `BASE` stands for the test's own folder. */
function table(title: string, inside: boolean, rows: readonly Row[]): void {
  it.each(rows)(`${title}: %j`, async (row, code) => {
    const path = row.replace("BASE", base);
    const analysis = await analysePath(path, { roots: [join(base, "app")], cwd: join(base, "app") });
    expect(analysis).toMatchObject({ inside });
    expect(analysis.findings.map((finding) => finding.code)).toEqual(
      code === undefined ? [] : expect.arrayContaining([code]),
    );
    expect(analysis.riskTier).toBe(!analysis.inspectable ? "R4" : code === undefined ? "R0" : "R3");
    for (const finding of analysis.findings) expect(path).toContain(finding.fragment ?? "");
  });
}

describe("analysePath inside the scope", () => {
  table("stays quiet about", true, [
    ["src/a.txt", undefined],
    ["./src/a.txt", undefined],
    ["src/../src/a.txt", undefined],
    ["src//a.txt", undefined],
    ["src/", undefined],
    [".", undefined],
    ["BASE/app", undefined],
    ["BASE/app/", undefined],
    ["BASE/app/src/not-yet/there.txt", undefined],
    ["to-src/a.txt", undefined],
    ["dangling-in", undefined],
    ["BASE/root-link/src/a.txt", undefined],
    ["報告（終）.docx", undefined],
    ["Zoë.txt".normalize("NFC"), undefined],
    ["a file with spaces.txt", undefined],
    ["..hidden", undefined],
    ["a..b", undefined],
    [".env.example", undefined],
    ["100%.txt", undefined],
  ]);

  table("still names sensitive places (attack C8)", true, [
    [".env", "secret_environment"],
    [".env.production", "secret_environment"],
    [".ENV", "secret_environment"],
    ["to-env", "secret_environment"],
    [".git/hooks/pre-commit", "git_internals"],
    [".git/config", "git_internals"],
    [".Git/Hooks/x", "git_internals"],
    [".husky/pre-push", "git_internals"],
    ["keys/server.pem", "secret_keys"],
    ["id_ed25519", "secret_keys"],
    [".npmrc", "secret_credentials"],
    [".aws/credentials", "secret_credentials"],
    [".bashrc", "start_files"],
    [".claude/settings.json", "agent_settings"],
    [".vscode/tasks.json", "agent_settings"],
    [".mcp.json", "agent_settings"],
    ["countersign.yaml", "own_guard"],
    [".countersign/data.db", "own_guard"],
  ]);
});

describe("analysePath outside the scope", () => {
  table("compares segments, not prefixes (attack C5)", false, [
    ["BASE/app-evil", "path_outside"],
    ["BASE/app-evil/x", "path_outside"],
    ["BASE/appx", "path_outside"],
    ["BASE/ap", "path_outside"],
    ["BASE", "path_outside"],
    ["/", "path_outside"],
    ["/etc/hosts", "path_outside"],
    ["BASE/app/../app-evil/x", "path_outside"],
    ["../app-evil", "path_outside"],
    ["//BASE/app/src", "network_path"],
  ]);

  table("follows links and dots to where they lead (attack C6)", false, [
    ["..", "path_outside"],
    ["../outside/secret", "path_outside"],
    ["src/../../outside/secret", "path_outside"],
    ["src/deep/../../../outside", "path_outside"],
    ["../../../../../../../../etc/passwd", "path_outside"],
    ["to-outside", "path_outside"],
    ["to-outside/secret", "path_outside"],
    ["to-outside/not-yet", "path_outside"],
    ["to-secret", "path_outside"],
    ["absolute/secret", "path_outside"],
    ["to-root/etc/passwd", "path_outside"],
    ["dangling-out", "path_outside"],
    ["chain-1/secret", "path_outside"],
    ["inner-link/../secret", "ambiguous_dots"],
    ["to-deep/../a.txt", "ambiguous_dots"],
    ["to-outside/../app/src/a.txt", "ambiguous_dots"],
    ["not-there/../../outside", "path_outside"],
    ["loop-a", "link_loop"],
    ["loop-a/x", "link_loop"],
    ["self", "link_loop"],
    ["to-fd", "magic_link"],
    ["to-stdin", "magic_link"],
    ["/proc/self/fd/3", "magic_link"],
    ["/proc/1/root/etc/shadow", "magic_link"],
    ["/proc/self/cwd/x", "magic_link"],
    ["/dev/fd/0", "magic_link"],
    ["/dev/stdin", "magic_link"],
    ["/proc/thread-self/fd/1", "magic_link"],
  ]);

  table("fails closed on names that disks may alias (attack C7)", false, [
    ["BASE/App/src", "name_alias"],
    ["BASE/APP/src/a.txt", "name_alias"],
    ["src/Zoe\u0308.txt", "not_normalized"],
    ["src/ﬁle.txt", "compatibility_character"],
    ["src/．．/x", "compatibility_character"],
    ["src／a", "compatibility_character"],
    ["src/a\u200b.txt", "invisible_character"],
    [".g\u200dit/hooks/x", "invisible_character"],
    ["src/a.txt.", "trailing_dot"],
    ["src/a.txt ", "trailing_dot"],
    ["src ./a", "trailing_dot"],
    [".../x", "trailing_dot"],
    ["src/a.txt::$DATA", "colon"],
    ["src/a.txt:stream", "colon"],
    ["C:\\app\\x", "backslash"],
    ["C:/app/x", "colon"],
    ["\\\\server\\share", "backslash"],
    ["//server/share", "network_path"],
    ["..\\outside", "backslash"],
    ["src\\a.txt", "backslash"],
    ["~/x", "home_shorthand"],
    ["~root/.ssh/id_rsa", "home_shorthand"],
    ["%2e%2e/outside", "encoded"],
    ["src/%2E%2E%2Foutside", "encoded"],
    ["%252e%252e/x", "encoded"],
    ["file:///etc/passwd", "colon"],
    ["NUL", "device_name"],
    ["src/con.txt", "device_name"],
    ["src/a\n.txt", "control_character"],
    ["src/a\u007f", "control_character"],
  ]);

  table("names sensitive places there too", false, [
    ["/etc/shadow", "secret_accounts"],
    ["/etc/sudoers.d/x", "secret_accounts"],
    ["/root/.ssh/id_rsa", "secret_keys"],
    ["/home/ann/.config/gcloud/x", "secret_credentials"],
    ["/home/ann/.kube/config", "secret_credentials"],
    ["/home/ann/.zshrc", "start_files"],
    ["/etc/cron.d/x", "start_files"],
    ["/home/ann/.local/state/countersign/data.db", "own_guard"],
  ]);

  table("does not read", false, [
    ["", "no_path"],
    ["src/a\0.txt", "nul"],
    ["src/\ud800", "half_character"],
    [`${"a/".repeat(3000)}x`, "too_long"],
    ["a".repeat(300), "not_followed"],
  ]);
});

describe("analysePath and its scope", () => {
  it("knows ß and ss for names that some disks take for the same (attack C7)", async () => {
    const analysis = await analysePath(join(base, "strasse/x"), { roots: [join(base, "straße")] });
    expect(analysis).toMatchObject({ inside: false, riskTier: "R3", findings: [{ code: "name_alias" }] });
  });

  it("has nothing inside when no root is given, or none that is absolute", async () => {
    for (const roots of [[], [""], ["app"], ["."], [join(base, "app/loop-a")]]) {
      expect((await analysePath(join(base, "app/src"), { roots })).inside).toBe(false);
    }
  });

  it("resolves roots that are links themselves (attack C6)", async () => {
    const scope = { roots: [join(base, "root-link")] };
    expect(await analysePath(join(base, "app/src/a.txt"), scope)).toMatchObject({
      inside: true,
      real: join(base, "app/src/a.txt"),
    });
  });

  it("does not guess what a relative path starts from", async () => {
    const scope = { roots: [join(base, "app")] };
    expect(await analysePath("src/a.txt", scope)).toMatchObject({ inside: false, findings: [{ code: "no_base" }] });
    expect((await analysePath("src/a.txt", { ...scope, cwd: "app" })).inside).toBe(false);
  });

  it("sees a link that was put there after the first look (attack C6)", async () => {
    const scope = { roots: [join(base, "app")] };
    const path = join(base, "app/later/secret");
    expect(await analysePath(path, scope)).toMatchObject({ inside: true, real: path });
    await symlink("../outside", join(base, "app/later"));
    expect(await analysePath(path, scope)).toMatchObject({ inside: false, real: join(base, "outside/secret") });
  });

  it("never lets any text inside whose real path is not under the root, and never throws", async () => {
    const parts = fc.constantFrom(
      "..",
      ".",
      "src",
      "to-outside",
      "to-src",
      "app",
      "a.txt",
      "",
      "~",
      "x",
      "outside",
      "chain-1",
      "inner-link",
    );
    const paths = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(parts, { maxLength: 8 }).map((names) => names.join("/")),
    );
    const root = join(base, "app");
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const { inside, real } = await analysePath(path, { roots: [root], cwd: root });
        if (inside) expect(`${real}/`.startsWith(`${root}/`)).toBe(true);
        if (inside)
          expect(`${await realpath(join(root, path)).catch(() => `${root}/`)}/`.startsWith(`${root}/`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
