import { type FileHandle, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Store } from "../core/ports.js";
import { readUnchecked } from "./checkpoint.js";

/** A place outside the store that keeps checkpoints. What it holds is what a rewritten or restored store is measured by. */
export interface Sink {
  readonly name: string;
  /** Resolves once the note is kept for good. May fail: it is tried again with the newest note. */
  write(note: string, workspaceId: string): Promise<void>;
  /** What it keeps of a workspace, oldest first. A sink that cannot be read takes no part in the check at start. */
  read?(workspaceId: string): Promise<readonly string[]>;
}

/** Closes what a crash cut off in the middle of a note, so that the next one can be told from it. */
const TORN = "(cut off)";

/** Appends to a file, flushed before it counts. The file may be append-only; best on another disk or another machine. */
export function fileSink(path: string): Sink {
  let last: Promise<void> = Promise.resolve();
  let whole = false;
  const write = async (note: string) => {
    const repair = whole || (await endsWhole(path)) ? "" : `\n${TORN}\n\n`;
    whole = false;
    await append(path, `${repair}${note}\n`);
    whole = true;
  };
  return {
    name: `file ${path}`,
    write(note) {
      const written = last.then(() => write(note));
      last = written.catch(() => {});
      return written;
    },
    read: async (workspaceId) =>
      (await readNotes(path)).filter((note) => readUnchecked(note).workspaceId === workspaceId),
  };
}

/** Keeps the newest note in a second store, beside nothing or beside a chain of its own. */
export function storeSink(store: Store, name = store.promises().engine): Sink {
  return {
    name: `store ${name}`,
    async write(note, workspaceId) {
      await store.checkpoint(workspaceId, note);
    },
    async read(workspaceId) {
      const { signed } = await store.checkpoint(workspaceId);
      return signed === undefined ? [] : [signed];
    },
  };
}

/** All notes of a file that a file sink wrote, oldest first. */
export async function readNotes(path: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const blocks = text.split(/\n\n+/);
  return blocks.flatMap((block, index) => {
    const signatures = blocks[index + 1]?.trimEnd() ?? "";
    const isNote = !block.startsWith("— ") && signatures.startsWith("— ") && !signatures.endsWith(TORN);
    // The last note counts once the line of its signature is whole.
    const cut = index + 2 === blocks.length && !text.endsWith("\n");
    return isNote && !cut ? [`${block}\n\n${signatures}\n`] : [];
  });
}

async function append(path: string, text: string): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await file.appendFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
}

/** Whether a new note may follow what stands in the file. */
async function endsWhole(path: string): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, Math.max(0, size - 2));
    return size === 0 || buffer.subarray(0, bytesRead).toString() === "\n\n";
  } finally {
    await file.close();
  }
}

/** A new file is only there for good when its folder is. Systems that cannot flush a folder do it themselves. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, "r");
    await folder.sync();
  } catch {
    return;
  } finally {
    await folder?.close();
  }
}
