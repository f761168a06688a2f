import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const GUIDE = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");
const EXAMPLES = [...GUIDE.matchAll(/^## (.+?)$[^]*?^```js\n([^]*?)^```$/gm)].map(([, title, code]) => ({
  title,
  code,
}));

describe("the examples of docs/testing.md", () => {
  it("are all found", () => {
    expect(EXAMPLES.length).toBe(GUIDE.match(/^```js$/gm)?.length);
  });

  it.each(EXAMPLES)("run as they stand: $title", async ({ code = "" }) => {
    // By the package's own name, on what it exports, as a user's file would.
    const args = ["--input-type=module", "-e", code];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 50_000 });
  });
});
