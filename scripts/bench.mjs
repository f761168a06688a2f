// npm run bench -- <name>…: sets up with the programs they start, then runs bench/<name>.mjs one after the other, so that none disturbs another.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { benchNeeds } from "./setup/bench-needs.mjs";
import { handOver, main, Problem, ROOT } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

const FOLDER = join(ROOT, "bench");

await main(async () => {
  const names = process.argv.slice(2);
  const known = existsSync(FOLDER) ? readdirSync(FOLDER).flatMap((file) => file.match(/^(.+)\.mjs$/)?.[1] ?? []) : [];
  const unknown = names.filter((name) => !known.includes(name));
  if (names.length === 0 || unknown.length > 0) {
    const wrong = unknown.length > 0 ? `There is no benchmark named ${unknown.join(", ")}. ` : "";
    throw new Problem(`${wrong}Name one or more of: ${known.join(", ") || "(bench/ holds none yet)"}`);
  }
  await setUp({ need: benchNeeds(names, process.env), required: true });
  for (const name of names) {
    const code = await handOver([process.execPath, join(FOLDER, `${name}.mjs`)]);
    if (code !== 0) return code;
  }
  return 0;
});
