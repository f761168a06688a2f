// npm run schemas: writes the forms that the server speaks, as JSON Schema, into schemas/. A test says whether they are current.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { handOver, main, ROOT } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

/** Runs on what was built, in a process of its own: this one was started before there was anything to import. */
const WRITE = `
  const { writeFileSync } = await import("node:fs");
  const { publishedSchemas } = await import(process.argv[1]);
  for (const [name, text] of publishedSchemas()) writeFileSync("schemas/" + name, text);
`;

await main(async () => {
  await setUp();
  const built = pathToFileURL(join(ROOT, "dist", "server", "reference", "published.js")).href;
  return handOver([process.execPath, "--input-type=module", "--eval", WRITE, built]);
});
