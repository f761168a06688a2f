import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it, for their owner alone unless told otherwise; one that is there stays as it is. Step by step:
 * Node's own recursive way never ends where a parent exists that takes no folders and says "no such file", as /proc does.
 */
export function makeFolder(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const above = dirname(path);
    if (code === "ENOENT" && above !== path && !isFolder(above)) {
      makeFolder(above, mode);
      makeFolder(path, mode);
    } else if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
