import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../project/source-scan.js";

it("examples/tools draws the card that docs/tools.md shows for the tool that it quotes", async () => {
  const file = join(ROOT, "examples", "tools", "tools.mjs");
  const guide = readFileSync(join(ROOT, "docs", "tools.md"), "utf8");
  expect(guide).toContain(readFileSync(file, "utf8").trimEnd());
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  const shown = /```text\n(.*?)\n```/s.exec(guide)?.[1] ?? "no card";
  // A mask's fingerprint is another one in every process.
  const plain = (text: string) => text.replace(/(hidden: 14 characters), [0-9a-f ]+/, "$1");
  expect(plain(stdout)).toContain(plain(shown));
});
