import { lstat, readlink } from "node:fs/promises";
import { posix } from "node:path";

export type RealPath =
  | { readonly type: "real"; readonly path: string }
  | { readonly type: "loop" | "magic" | "unreadable"; readonly at: string };

/** As many as Linux follows before it calls it a loop. */
const MAX_LINKS = 40;

/**
 * Where an absolute path leads, followed as the kernel does: links before `..`. What does not exist yet is kept as named, also
 * behind a dangling link, because that is where a write would create it.
 */
export async function realPath(absolute: string): Promise<RealPath> {
  const waiting = segments(absolute).reverse();
  let current = "/";
  let links = 0;
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === "..") {
      current = posix.dirname(current);
      continue;
    }
    const next = posix.join(current, name);
    if (isMagic(next)) return { type: "magic", at: next };
    const target = await linkTarget(next);
    if (target === "unreadable") return { type: "unreadable", at: next };
    if (target === undefined) {
      current = next;
      continue;
    }
    if (++links > MAX_LINKS) return { type: "loop", at: next };
    if (target.path.startsWith("/")) current = "/";
    waiting.push(...segments(target.path).reverse());
  }
  return { type: "real", path: current };
}

export function segments(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

async function linkTarget(path: string): Promise<{ readonly path: string } | "unreadable" | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? { path: await readlink(path) } : undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Missing is an answer. Forbidden, too long or a failing disk is none.
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : "unreadable";
  }
}

/** Links whose target depends on who follows them: the reader's own descriptors, folder or root. */
function isMagic(path: string): boolean {
  return (
    /^\/proc\/(self|thread-self|\d+)(\/task\/\d+)?\/(fd|fdinfo|root|cwd|exe|map_files|ns)(\/|$)/.test(path) ||
    /^\/dev\/(fd|stdin|stdout|stderr)(\/|$)/.test(path)
  );
}
