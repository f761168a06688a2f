import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { firstLoad } from "./first-load.js";
import { BUILT } from "./world.js";

const BUDGET = 200 * 1_024;

/** Built pages of these scripts, of which the page names `main.js`. */
function built(scripts: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-size-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), '<script type="module" src="/assets/main.js"></script>');
  for (const [name, code] of Object.entries(scripts)) writeFileSync(join(folder, "assets", name), code);
  return folder;
}

/** Code that no compression makes small. */
const heavy = (bytes: number) => `export const noise = "${randomBytes(bytes).toString("base64")}";`;

describe("the built pages", () => {
  it("load less than 200 KB of compressed JavaScript at first", () => {
    const { names, bytes } = firstLoad(BUILT);
    expect(names.length).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(BUDGET);
    // The editor is for those who edit.
    expect(names.filter((name) => name.includes("editor"))).toEqual([]);
  });

  it("carry no script and no style of their own, which the policy would refuse", () => {
    expect(readFileSync(join(BUILT, "index.html"), "utf8")).not.toMatch(
      /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i,
    );
  });
});

describe("the measure of the first load", () => {
  it("is over the budget by what a script imports, however deep", () => {
    const folder = built({
      "main.js": 'import{a}from"./a.js";a()',
      "a.js": 'const x=1;import"./b.js";export const a=()=>x',
      "b.js": heavy(BUDGET),
    });
    const { names, bytes } = firstLoad(folder);
    expect(names).toEqual(["assets/main.js", "assets/a.js", "assets/b.js"]);
    expect(bytes).toBeGreaterThan(BUDGET);
  });

  it("leaves out what is loaded when it is needed, and counts nothing twice", () => {
    const folder = built({
      "main.js": 'import"./a.js";import"./b.js";import("./later.js")',
      "a.js": 'import"./b.js"',
      "b.js": heavy(10_000),
      "later.js": heavy(BUDGET),
    });
    const { names, bytes } = firstLoad(folder);
    expect(names).toEqual(["assets/main.js", "assets/a.js", "assets/b.js"]);
    expect(bytes).toBeLessThan(20_000);
  });
});
