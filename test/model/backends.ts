import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "../../src/stores/memory.js";
import { sqliteStore } from "../../src/stores/sqlite.js";
import type { Backend } from "./real.js";

export async function memoryBackend(): Promise<Backend> {
  return { open: (clock) => memoryStore({ clock }), perProcess: false, dispose: async () => {} };
}

/** A file in memory where the system has such a place: the model asks what is kept, not how fast a disk is. */
export async function sqliteBackend(worker?: URL): Promise<Backend> {
  const directory = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "countersign-model-"));
  const path = join(directory, "gate.db");
  return {
    open: (clock) => sqliteStore(path, { clock, worker: worker ?? false }),
    perProcess: true,
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}
