import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Argument } from "commander";
import { CountersignError } from "../../core/errors.js";
import { makeFolder } from "../../folder.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";

const FOLDER = fileURLToPath(new URL("../../../policies", import.meta.url));
const SUFFIX = ".policy.yaml";

/** Writes a starter policy with its table, and never over anything that is there. */
export function initCommand({ program, run }: Frame): void {
  const names = starters();
  program
    .command("init")
    .addArgument(new Argument("[starter]", "which").choices(names).default("personal"))
    .description("write a commented starter policy and its test table")
    .option("--folder <folder>", "where to", ".")
    .action(
      run(async (console, { folder = "." }, starter = "") => {
        const files = [
          { from: `${starter}${SUFFIX}`, to: join(folder, "countersign.policy.yaml") },
          { from: `${starter}.policy-test.yaml`, to: join(folder, "countersign.policy-test.yaml") },
        ];
        const taken = files.find(({ to }) => existsSync(to));
        if (taken !== undefined) {
          throw new CountersignError("invalid_request", `${taken.to} is there already; nothing was written.`);
        }
        // Rules are no secret: as readable as other folders of this account.
        makeFolder(folder, 0o777);
        for (const { from, to } of files) writeFileSync(to, readFileSync(join(FOLDER, from)), { flag: "wx" });
        console.answer({ starter, files: files.map(({ to }) => to) }, () => [
          ...files.map(({ to }) => `wrote ${to}`),
          `Next: countersign policy test ${files[0]?.to}`,
        ]);
        return EXIT.ok;
      }),
    );
}

function starters(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}
