import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "../../src/stores/memory.js";
import type { PostgresPool } from "../../src/stores/postgres/driver.js";
import { postgresStore } from "../../src/stores/postgres.js";
import { Connection, connect } from "../../src/stores/redis/connection.js";
import { begin } from "../../src/stores/redis/fence.js";
import { Keys } from "../../src/stores/redis/keys.js";
import { fitServer } from "../../src/stores/redis/server.js";
import { RedisStore } from "../../src/stores/redis/store.js";
import { sqliteStore } from "../../src/stores/sqlite.js";
import { lateStore } from "./late-store.js";
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

const TABLES = ["workspace", "signed", "record", "listed", "entry", "held", "counted"];

/** One schema for all runs, emptied after each. Hints come by themselves here: the clock that polls is the model's. */
export async function postgresBackend(pool: PostgresPool, schema: string): Promise<Backend> {
  const tables = TABLES.map((table) => `${schema}.${table}`).join();
  return {
    open: (clock) => lateStore(postgresStore({ pool, schema, clock, listen: false }), clock),
    perProcess: true,
    dispose: async () => {
      await pool.query({ text: `TRUNCATE ${tables}` });
    },
  };
}

/** Each run has data of its own on one server; every process of a run has its own store, over one connection. */
export async function redisBackends(url: string): Promise<{ open: () => Promise<Backend>; close: () => void }> {
  const client = await connect(url);
  const shared = new Connection(client, true);
  const server = await fitServer(shared);
  let runs = 0;
  const open = async (): Promise<Backend> => {
    const keys = new Keys(`model-${++runs}`);
    const mark = await begin(shared, keys);
    return {
      open: (clock) =>
        new RedisStore({ connection: new Connection(client, false), keys, mark, server, clock, mirror: true }),
      perProcess: true,
      dispose: async () => void (await shared.send("FLUSHALL")),
    };
  };
  return { open, close: () => shared.close() };
}
