import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { benchNeeds } from "../../scripts/setup/bench-needs.mjs";
import { ownerName, removeOwner, withLock } from "../../scripts/setup/lock.mjs";
import { Problem } from "../../scripts/setup/process.mjs";
import { adviceFor, installSystemPackages, isCi, isPresent } from "../../scripts/setup/system-packages.mjs";
import { ROOT } from "./source-scan.js";

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-setup-"));
  lock = join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const quiet = () => {};

describe("the set-up lock", () => {
  it("lets one work at a time, tells the others to wait, and leaves nothing behind", async () => {
    let inside = 0;
    let most = 0;
    const said: string[] = [];
    const work = async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all([1, 2, 3].map(() => withLock(lock, (line) => said.push(line), work)));
    expect(most).toBe(1);
    expect(said[0]).toContain(`process ${process.pid}`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is free again after work that failed", async () => {
    await expect(withLock(lock, quiet, () => Promise.reject(new Error("no space")))).rejects.toThrow("no space");
    expect(existsSync(lock)).toBe(false);
  });

  it("is taken over from a process that died", async () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    leaveBehind(ownerName(pid));
    await expect(withLock(lock, quiet, async () => "done")).resolves.toBe("done");
  });

  it.runIf(existsSync("/proc/self/stat"))(
    "is taken over when the number of the dead process was given away",
    async () => {
      leaveBehind(ownerName(process.pid).replace(/-\d+-/, "-1-"));
      await expect(withLock(lock, quiet, async () => "done")).resolves.toBe("done");
    },
  );

  it("is not taken from its new owner by one who saw the dead one", async () => {
    await withLock(lock, quiet, async () => {
      removeOwner(lock, "1-1-dead");
      expect(readdirSync(lock)).toHaveLength(1);
    });
  });

  function leaveBehind(owner: string): void {
    mkdirSync(lock);
    writeFileSync(join(lock, owner), "");
  }
});

describe("system packages", () => {
  it("are found as programs on the PATH, or as files in a folder of any version", () => {
    mkdirSync(join(folder, "17", "bin"), { recursive: true });
    writeFileSync(join(folder, "17", "bin", "initdb"), "");
    expect(isPresent(`${folder}/*/bin/initdb`)).toBe(true);
    expect(isPresent(`${folder}/*/bin/postgres`)).toBe(false);
    expect(isPresent(`${folder}/none/*/bin/initdb`)).toBe(false);
    expect(isPresent("node")).toBe(true);
    expect(isPresent("no-such-program")).toBe(false);
  });

  it("that are missing come with the command that installs them, and with what follows", () => {
    expect(adviceFor(["tmux"], { isRoot: false, hasAptGet: true, isCi: false })).toBe(
      'tmux missing. Run "sudo apt-get install tmux". The tests that need this are skipped.',
    );
    expect(adviceFor(["tmux"], { isRoot: false, hasAptGet: false, isCi: true })).toContain(
      "In CI no test may be skipped.",
    );
  });

  it("that are missing stop what cannot do without them, with a sentence that names the way out", async () => {
    vi.stubEnv("PATH", folder).stubEnv("CI", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const installed = installSystemPackages(["redis-server"], quiet, { required: true });
    await expect(installed).rejects.toThrow(Problem);
    await expect(installed).rejects.toThrow(
      "redis-server missing. Install it with the package manager of this system. This cannot run without it.",
    );
  });

  it.each([
    ["true", true],
    ["1", true],
    ["false", false],
    ["", false],
    [undefined, false],
  ])("count CI=%s as CI: %s", (value, expected) => {
    expect(isCi(value)).toBe(expected);
  });
});

describe("a benchmark", () => {
  /** What a file that starts a program of the system holds. */
  const SIGNS = {
    "redis-server": "redis-server.mjs",
    postgresql: "postgres.mjs",
    chromium: "playwright-core",
  } as const;
  const files = readdirSync(join(ROOT, "bench")).filter((name) => name.endsWith(".mjs"));

  it.each(files)("gets the programs that it starts: %s", (file) => {
    const text = readFileSync(join(ROOT, "bench", file), "utf8");
    const started = Object.entries(SIGNS).flatMap(([name, sign]) =>
      text.includes(`/${sign}"`) || text.includes(`"${sign}"`) ? [name] : [],
    );
    expect(benchNeeds([file.replace(".mjs", "")], {}).toSorted()).toEqual(started.toSorted());
  });

  it("gets no browser where one is named", () => {
    expect(benchNeeds(["web"], { CHROMIUM: "/opt/chromium" })).toEqual([]);
  });

  it("shares what several of one run need", () => {
    expect(benchNeeds(["redis", "scaling"], {})).toEqual(["redis-server", "postgresql"]);
  });
});
