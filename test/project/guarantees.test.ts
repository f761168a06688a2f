import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./source-scan.js";

const text = readFileSync(join(ROOT, "docs", "guarantees.md"), "utf8");
/** `path`: "title" */
const NAMED = /`([^`\s]+\.test\.ts)`:\s+"([^"]+)"/g;
const named = [...text.matchAll(NAMED)].map(([, path = "", title = ""]) => ({ path, title }));

describe("docs/guarantees.md", () => {
  it.each(named)("names a test that exists: $path, $title", ({ path, title }) => {
    const file = join(ROOT, path);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, "utf8")).toContain(`"${title}"`);
  });

  it("has at least one test under every promise", () => {
    const promises = (text.split("## Promises")[1]?.split("## What is not promised")[0] ?? "").split("\n### ").slice(1);
    expect(promises.length).toBeGreaterThan(5);
    for (const promise of promises) expect(promise).toMatch(/- `src\/.+\.test\.ts`: "/);
  });
});
