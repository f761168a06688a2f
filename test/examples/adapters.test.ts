import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { ROOT } from "../project/source-scan.js";

describe("examples/adapters", () => {
  it.each([
    ["ai-sdk", "The email was sent once, and the file is still there."],
    ["langchain", "The email went to the team, and the model knows that a person changed that."],
    ["openai-agents", "The refund was paid once, after a person had said yes."],
    ["mcp-gateway", "The file was read at once, and written after a person had said yes."],
    ["claude-code", "Reading passed, and the push became the one that a person wanted."],
  ])("%s does what its guide says", async (name, last) => {
    const file = join(ROOT, "examples", "adapters", `${name}.mjs`);
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: ROOT });
    expect(stdout).toContain(last);
  });
});
