import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

export interface FirstLoad {
  readonly names: readonly string[];
  /** Of all of them, each compressed by itself, as they travel. */
  readonly bytes: number;
}

/** Scripts that a first visit loads: what the page names, and what those import before they run. */
export function firstLoad(built: string): FirstLoad {
  const found = new Map<string, number>();
  const add = (name: string) => {
    if (found.has(name)) return;
    const code = readFileSync(join(built, name), "utf8");
    found.set(name, gzipSync(code).length);
    for (const [, imported = ""] of code.matchAll(/(?:^|[;}\n])import[^("']*["']\.\/([^"']+\.js)["']/g))
      add(`assets/${imported}`);
  };
  const page = readFileSync(join(built, "index.html"), "utf8");
  for (const [, name = ""] of page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)) add(name);
  return { names: [...found.keys()], bytes: [...found.values()].reduce((sum, size) => sum + size, 0) };
}
