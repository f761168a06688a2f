import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { isCi, isPresent } from "../../scripts/setup/system-packages.mjs";
import { SETTINGS } from "../../src/config/schema.js";
import { Machine } from "../cli/machine.js";
import { ROOT } from "../project/source-scan.js";

const GUIDE = readFileSync(join(ROOT, "docs", "quick-start.md"), "utf8");
const machine = new Machine();
const missing = !isPresent("curl") && !isCi(process.env["CI"]) && "curl is missing";

describe.skipIf(missing)(`docs/quick-start.md${missing ? `: ${missing}` : ""}`, () => {
  beforeAll(async () => {
    await machine.start();
    return () => machine.end();
  });

  it("leads an agent by curl from the question to the receipt, once somebody has said yes (I2)", async () => {
    const [define = "", ...steps] = requests();
    expect(steps).toHaveLength(5);
    const [declare = "", ask = "", wait = "", claim = "", report = ""] = steps;
    const env = { URL: machine.url, KEY: await machine.agentKey(["email.send"]) };
    const run = (step: string, more: Record<string, string> = {}) => shell(`${define}\n${step}`, { ...env, ...more });
    await run(declare);
    const { approvalId: ID = "" } = await run(ask);
    expect(await run(claim, { ID })).toMatchObject({ code: "not_approved" });
    await machine.answer("approve");
    expect(await run(wait, { ID })).toMatchObject({ type: "pending", token: expect.anything() });
    const { claimId: CLAIM = "", args } = await run(claim, { ID });
    expect(args).toEqual({ to: "ann@example.com" });
    expect(await run(report, { ID, CLAIM })).toMatchObject({ type: "succeeded" });
  });
});

it("docs/configuration.md has every setting with its variable and flag", () => {
  const guide = readFileSync(join(ROOT, "docs", "configuration.md"), "utf8");
  for (const [key, { variable, flag }] of Object.entries(SETTINGS)) {
    expect(guide).toMatch(new RegExp(`\\| \`${key}\` +\\| \`${variable}\` +\\| \`--${flag}\` +\\|`));
  }
});

/** The lines that the guide has an agent type. */
function requests(): readonly string[] {
  const [, agents = ""] = GUIDE.split("## For agents in any language");
  const [section = ""] = agents.split("\n## ");
  const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] ?? "");
  return blocks.flatMap((block) => block.split("\n")).filter((line) => /^(tell|curl)\b/.test(line));
}

/** What a step answered, as JSON. */
function shell(script: string, env: Record<string, string>): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    execFile("/bin/sh", ["-ec", script], { env: { ...process.env, ...env } }, (error, stdout) => {
      if (error !== null) reject(error);
      else resolve(JSON.parse(stdout) as Record<string, string>);
    });
  });
}
