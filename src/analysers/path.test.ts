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

describe("what analysePath says", () => {
  const inApp = (path: string) => analysePath(path, { roots: [join(base, "app")], cwd: join(base, "app") });
  const ODD = "The same name can be spelt with other code points.";
  const PLAIN = "A character of the path can be read as a plain letter, dot or slash.";

  it.each([
    ["", "R4", "There is no path.", undefined],
    ["a".repeat(5_000), "R4", "The path is longer than 4096 characters.", "a".repeat(100)],
    ["a\0b", "R4", "The path holds a NUL character, where some readers stop.", undefined],
    ["a\ud800", "R4", "The path holds half a character.", undefined],
    ["loop-a", "R4", "Links on the path lead in a circle.", "loop-a"],
    ["to-fd", "R4", "The path goes through a link whose target depends on who follows it.", "to-fd"],
    ["a".repeat(300), "R4", "A part of the path could not be looked at.", "a".repeat(300)],
    ["~root/x", "R3", "A leading tilde is a home folder to some programs and a plain name to others.", "~root"],
    ["//host/x", "R3", "Two leading slashes can name another machine.", "//host"],
    ["x%2Fy", "R3", "The path is percent-encoded, and would be another one when decoded.", "%2F"],
    ["x\ty", "R3", "The path holds a control character.", "\t"],
    ["x\u200by", "R3", "The path holds an invisible character, which some disks ignore.", "\u200b"],
    ["src/a\\b", "R3", "A backslash is a separator on Windows and part of a name elsewhere.", "a\\b"],
    ["src/a:b", "R3", "A colon can name a drive, an address or a hidden stream of a file.", "a:b"],
    ["src/x./y", "R3", "Some systems drop dots and spaces at the end of a name.", "x."],
    ["src/aux.txt", "R3", "This is the name of a device on Windows.", "aux.txt"],
    ["src/Zoe\u0308", "R3", ODD, "src/Zoe\u0308"],
    ["src/\ufb01le", "R3", PLAIN, "src/\ufb01le"],
  ])("of %j", async (path, riskTier, text, fragment) => {
    const { findings, inside } = await inApp(path);
    expect(inside).toBe(false);
    expect(findings[0]).toMatchObject({ riskTier, text });
    expect(findings[0]?.fragment).toBe(fragment);
  });

  it("names where the path leads", async () => {
    const outside = join(base, "outside");
    expect(await inApp("to-outside")).toEqual({
      riskTier: "R3",
      inspectable: true,
      inside: false,
      real: outside,
      findings: [
        {
          code: "path_outside",
          riskTier: "R3",
          text: `The path leads to ${outside}, outside of the scope.`,
          fragment: "to-outside",
        },
      ],
    });
    const alias = join(base, "APP");
    expect((await inApp(alias)).findings[0]?.text).toBe(
      `The path leads to ${alias}, which is in scope only if case and accents do not count.`,
    );
    const two = `${join(base, "app/src/a.txt")} or to ${join(base, "app/a.txt")}`;
    expect((await inApp("to-deep/../a.txt")).findings[0]?.text).toBe(
      `The path leads to ${two}, depending on who reads it.`,
    );
    expect((await inApp(".env")).findings).toEqual([
      {
        code: "secret_environment",
        riskTier: "R3",
        text: "The path leads to a place that holds the secrets of an environment.",
        fragment: ".env",
      },
    ]);
  });

  it("leads nowhere where nobody can tell", async () => {
    for (const path of ["loop-a", "to-fd", "a\0b"])
      expect(await inApp(path)).toMatchObject({ real: undefined, inspectable: false, riskTier: "R4" });
    const relative = await analysePath("src/a.txt", { roots: [join(base, "app")] });
    expect(relative).toMatchObject({
      real: undefined,
      inspectable: true,
      riskTier: "R3",
      findings: [{ text: "The path is relative and nothing says to what.", fragment: "src/a.txt" }],
    });
  });

  it("is quiet at the length and the names that are just allowed", async () => {
    const longest = `${"./".repeat(2_043)}src/a.txtab`.slice(0, 4_096);
    for (const path of [longest, "a~b", "console", "xcon", "com", "lptx", "src/..a", "50%2", "src/.", "src/.."])
      expect((await inApp(path)).findings, path).toEqual([]);
    for (const path of ["COM1", "lpt9.txt", "prn", "a/nul.b"])
      expect((await inApp(path)).findings[0]?.code, path).toBe("device_name");
  });
});

describe("links that depend on who follows them", () => {
  it.each([
    ...["/proc/self/fd", "/proc/self/fdinfo/1", "/proc/1/root", "/proc/12/cwd/x", "/proc/self/exe", "/proc/1/ns/net"],
    ...["/proc/self/map_files/x", "/proc/self/task/12/fd/0", "/dev/fd", "/dev/stdout", "/dev/stderr"],
  ])("attack C6: are not followed: %s", async (path) => {
    expect(await analysePath(path, { roots: ["/"] })).toMatchObject({
      inside: false,
      findings: [{ code: "magic_link" }],
    });
  });

  it.each(["/dev/stdinx", "/dev/fdx", "/x/dev/fd", "/x/proc/self/fd", "/proc/x/fd", "/proc/version/fdx"])(
    "are not %s",
    async (path) => {
      expect((await analysePath(path, { roots: ["/"] })).findings).toEqual([]);
    },
  );
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

  it("follows as many links as the kernel, and no more (attack C6)", async () => {
    const names = Array.from({ length: 42 }, (_, index) => `hop-${index}`);
    for (const [index, name] of names.slice(1).entries()) await symlink(`hop-${index}`, join(base, "app", name));
    const scope = { roots: [join(base, "app")] };
    expect(await analysePath(join(base, "app/hop-40"), scope)).toMatchObject({ inside: true, findings: [] });
    expect((await analysePath(join(base, "app/hop-41"), scope)).findings).toMatchObject([{ code: "link_loop" }]);
  });

  it("holds a path that is under any one of its roots", async () => {
    const roots = [join(base, "outside"), "relative", join(base, "app")];
    expect((await analysePath(join(base, "app/src"), { roots })).inside).toBe(true);
    expect((await analysePath(join(base, "app-evil"), { roots })).inside).toBe(false);
    expect((await analysePath("/anything", { roots: ["/"] })).inside).toBe(true);
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
