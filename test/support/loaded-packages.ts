import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The packages of which the engine ran a script, by the reports of NODE_V8_COVERAGE: no way of loading one goes unseen. */
export async function loadedPackages(report: string): Promise<string[]> {
  const names = new Set<string>();
  for (const file of await readdir(report)) {
    const { result } = JSON.parse(await readFile(join(report, file), "utf8")) as { result: { url: string }[] };
    for (const { url } of result) {
      const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
      if (name !== undefined) names.add(decodeURIComponent(name));
    }
  }
  return [...names];
}
