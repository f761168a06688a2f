// npm run schemas: writes the forms that the server speaks, as JSON Schema, into schemas/. A test says whether they are current.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { main, ROOT } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

await main(async () => {
  await setUp();
  const built = join(ROOT, "dist", "server", "reference", "published.js");
  const { publishedSchemas } = await import(pathToFileURL(built).href);
  for (const [name, text] of publishedSchemas()) writeFileSync(join(ROOT, "schemas", name), text);
  return 0;
});
