import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { makeFolder } from "./folder.js";

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "countersign-folder-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
});

describe("a folder that is to be there", () => {
  it("is made with those above it, for its owner alone", () => {
    makeFolder(join(place, "a", "b", "c"));
    expect(["a", "a/b", "a/b/c"].map((name) => statSync(join(place, name)).mode & 0o777)).toEqual([
      0o700, 0o700, 0o700,
    ]);
  });

  it("stays as it is when it is there, also behind a link", () => {
    makeFolder(join(place, "open"), 0o755);
    symlinkSync(join(place, "open"), join(place, "link"));
    makeFolder(join(place, "link"));
    expect(statSync(join(place, "open")).mode & 0o777).toBe(0o755);
  });

  it.each([
    ["a file stands in its place", () => fileIn(place), "EEXIST"],
    ["a file stands above it", () => join(fileIn(place), "a", "b"), "ENOTDIR"],
    ["a link that leads nowhere stands above it", () => join(brokenLink(place), "a"), "EEXIST"],
  ])("is refused where %s", (_what, path, code) => {
    expect(() => makeFolder(path())).toThrow(expect.objectContaining({ code }));
  });

  it.runIf(process.platform === "linux")(
    "is refused where the system takes no folders, without an end to wait for",
    () => {
      expect(() => makeFolder("/proc/none")).toThrow(expect.objectContaining({ code: "ENOENT" }));
      expect(() => makeFolder("/proc/none/deeper")).toThrow(expect.objectContaining({ code: "ENOENT" }));
    },
  );
});

function fileIn(folder: string): string {
  writeFileSync(join(folder, "file"), "");
  return join(folder, "file");
}

function brokenLink(folder: string): string {
  symlinkSync(join(folder, "nowhere"), join(folder, "broken"));
  return join(folder, "broken");
}
