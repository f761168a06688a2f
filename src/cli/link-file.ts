import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Console } from "./console.js";

/**
 * Whoever sees a sign-in link is the owner. A person at a terminal sees it there; otherwise output may end in a log that agents
 * read, so that it goes into a file for its owner alone, and the file's path is what is shown.
 */
export async function handOverLink(console: Console, data: string, link: string): Promise<string> {
  if (console.process.stdout.isTTY === true && !console.json) return link;
  const path = join(data, "sign-in-link");
  writeFileSync(path, `${link}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return path;
}
