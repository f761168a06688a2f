import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { BUILT } from "./world.js";

const BUDGET = 200 * 1_024;
const page = readFileSync(join(BUILT, "index.html"), "utf8");

/** Scripts that a first visit loads: what the page names, and what those import before they run. */
function firstLoad(): readonly string[] {
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const code = readFileSync(join(BUILT, name), "utf8");
    for (const [, imported = ""] of code.matchAll(/(?:^|[;}])import[^("']*["']\.\/([^"']+\.js)["']/g))
      add(`assets/${imported}`);
  };
  for (const [, name = ""] of page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)) add(name);
  return [...found];
}

describe("the built pages", () => {
  it("load less than 200 KB of compressed JavaScript at first", () => {
    const names = firstLoad();
    expect(names.length).toBeGreaterThan(0);
    const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(BUILT, name))).length, 0);
    expect(bytes).toBeLessThan(BUDGET);
    // The editor is for those who edit.
    expect(names.filter((name) => name.includes("editor"))).toEqual([]);
  });

  it("carry no script and no style of their own, which the policy would refuse", () => {
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  });
});
