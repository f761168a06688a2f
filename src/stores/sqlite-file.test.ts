import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ERASED, newEntry, verifyChain } from "../core/audit.js";
import { newId } from "../core/ids.js";
import type { Change, Store } from "../core/ports.js";
import type * as Driver from "./sqlite/driver.js";
import { type Database, openDatabase } from "./sqlite/driver.js";
import { type SqliteOptions, sqliteStore } from "./sqlite.js";

const WORKER = new URL("../../dist/stores/sqlite-worker.js", import.meta.url);

const connections: Database[] = vi.hoisted(() => []);
vi.mock("./sqlite/driver.js", async (importOriginal) => {
  const driver = await importOriginal<typeof Driver>();
  const openKept: typeof driver.openDatabase = (file) => {
    const connection = driver.openDatabase(file);
    connections.push(connection);
    return connection;
  };
  return { ...driver, openDatabase: openKept };
});

let folder: string;
let path: string;
let stores: Store[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-sqlite-file-"));
  path = join(folder, "store.db");
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.close();
  await rm(folder, { recursive: true, force: true });
});

function open(options: SqliteOptions = { worker: false }): Store {
  const store = sqliteStore(path, options);
  stores.push(store);
  return store;
}

function change(id: string, version = 0, value = "value"): Change {
  const puts = [{ kind: "approval" as const, id, version, value }];
  return { changeId: newId(), workspaceId: "workspace", puts, entries: [newEntry("a.b", id, { version })] };
}

/** Makes of a file what the first version would have written. */
const TO_FIRST_FORMAT = `
  CREATE TABLE listed (key TEXT NOT NULL, kind TEXT NOT NULL, id ANY NOT NULL, PRIMARY KEY (key, id, kind)) STRICT, WITHOUT ROWID;
  CREATE TABLE held (key TEXT PRIMARY KEY, id TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE counted (key TEXT PRIMARY KEY, value INTEGER NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO listed (key, kind, id) SELECT key, kind, id FROM keyed WHERE until IS NULL;
  INSERT INTO held SELECT key, value, until FROM keyed WHERE kind = '=';
  INSERT INTO counted SELECT key, value, until FROM keyed WHERE kind = '#';
  DROP TABLE keyed;
  UPDATE entry SET type = 'approval.created' WHERE type = '0';
  PRAGMA user_version = 1;
`;

/** Opens a store and gives the connection it uses, to ask and limit SQLite itself. */
function openWithConnection(): { readonly store: Store; readonly connection: Database } {
  const store = open();
  return { store, connection: connections.at(-1) as Database };
}

describe("opening a file", () => {
  it("refuses a file of a newer format with a sentence, and leaves it as it is", () => {
    open();
    const other = openDatabase(path);
    other.exec("PRAGMA user_version = 99");
    expect(() => open()).toThrow(
      /store\.db was written by a newer Countersign \(format 99, this one knows 3\)\. Update/,
    );
    expect(other.prepare("PRAGMA user_version").get()).toEqual({ user_version: 99 });
    other.close();
  });

  it("brings a file of the first format up to date: its lists, keys, counters and chain hold on (I7)", async () => {
    const asked = (id: string): Change => ({
      changeId: newId(),
      workspaceId: "workspace",
      puts: [{ kind: "approval", id, version: 0, value: "value", indexes: ["list"] }],
      entries: [newEntry("approval.created", id, {}), newEntry("a.b", id, {})],
      unique: [{ key: "key", id, until: Number.MAX_SAFE_INTEGER }],
      counts: [{ key: "count", add: 1, max: 1 }],
    });
    const first = asked(newId());
    const before = open();
    await before.commit([first]);
    await before.close();
    const other = openDatabase(path);
    expect(other.prepare("SELECT type FROM entry ORDER BY n").all()).toMatchObject([{ type: "0" }, { type: "a.b" }]);
    other.exec(TO_FIRST_FORMAT);
    const store = open();
    expect(other.prepare("PRAGMA user_version").get()).toEqual({ user_version: 3 });
    other.close();
    expect(await store.list("list", "", 10)).toMatchObject([{ id: first.puts[0]?.id, value: "value", version: 1 }]);
    expect(await store.count("count")).toBe(1);
    const { unique: _, ...another } = asked(newId());
    expect(await store.commit([asked(newId()), another])).toMatchObject([
      { refused: "taken", key: "key", holder: first.puts[0]?.id },
      { refused: "limit", key: "count" },
    ]);
    await store.commit([{ ...another, counts: [] }]);
    const entries = await store.entries("workspace", 0, 10);
    expect(entries.map(({ type }) => type)).toEqual(["approval.created", "a.b", "approval.created", "a.b"]);
    expect(verifyChain("workspace", entries)).toMatchObject({ ok: true, seq: 4 });
  });

  it("keeps calls apart from what stays, so that their pages are used again once they are erased", async () => {
    const store = open();
    const day = async () => {
      const ids = Array.from({ length: 200 }, () => newId());
      const puts = (id: string) =>
        (["approval", "call"] as const).map((kind) => ({ kind, id, version: 0, value: kind.padEnd(400, ".") }));
      const asked = ids.map((id) => ({ changeId: newId(), workspaceId: "w", puts: puts(id), entries: [] }));
      await store.commit(asked);
      await store.commit(
        ids.map((id) => ({
          changeId: newId(),
          workspaceId: "w",
          puts: [{ kind: "call" as const, id, version: 1, value: null }],
          entries: [],
        })),
      );
      const other = openDatabase(path);
      const { page_count: pages } = other.prepare("PRAGMA page_count").get() as { page_count: number };
      other.close();
      return pages;
    };
    const [first, second, third] = [await day(), await day(), await day()];
    // What stays of a day has 400 of its 800 bytes; its calls find the pages of the day before.
    expect(third - second).toBeLessThan((first * 2) / 3);
  });

  it("refuses a database in memory, which a second connection would not see", () => {
    expect(() => sqliteStore(":memory:")).toThrow(/memoryStore/);
    expect(() => sqliteStore("")).toThrow(/needs a file/);
  });

  it("writes ahead and flushes in full, so that what was acknowledged survives (invariant I5)", () => {
    const { connection } = openWithConnection();
    expect(connection.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(connection.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
    expect(connection.prepare("PRAGMA fullfsync").get()).toEqual({ fullfsync: 1 });
  });
});

describe("closing", () => {
  it("leaves everything in the file itself, which can then be copied alone", async () => {
    const store = open({});
    await store.commit([change("a"), change("b")]);
    await store.close();
    const copy = join(folder, "copy.db");
    await copyFile(path, copy);
    const read = sqliteStore(copy, { worker: false });
    stores.push(read);
    expect((await read.get("approval", "b"))?.value).toBe("value");
  });
});

describe("the writing thread", () => {
  it("says so when it is missing, and the store works without it", async () => {
    const warned = new Promise<Error & { code?: string }>((resolve) => process.once("warning", resolve));
    const store = open({ worker: pathToFileURL(join(folder, "missing.js")) });
    expect((await store.commit([change("a"), change("b")])).map(({ ok }) => ok)).toEqual([true, true]);
    const { code, message } = await warned;
    expect(code).toBe("COUNTERSIGN_NO_WORKER");
    expect(message).toContain("countersign/stores/sqlite-worker");
  });

  it("is given the write when another process is writing, so that this thread goes on", async () => {
    const store = open({ worker: WORKER });
    const other = openDatabase(path);
    other.exec("BEGIN IMMEDIATE");
    const committed = store.commit([change("a")]);
    // Only a thread that does not wait gets here while the other connection holds the lock.
    other.exec("COMMIT");
    other.close();
    expect((await committed)[0]?.ok).toBe(true);
  });

  it("is done without when it has stopped", async () => {
    const worker = join(folder, "stops.mjs");
    writeFileSync(worker, "throw new Error('this thread does not start');");
    const store = open({ worker: pathToFileURL(worker) });
    await store.commit([change("a"), change("b")]).catch(() => {});
    expect((await store.commit([change("c"), change("d")])).map(({ ok }) => ok)).toEqual([true, true]);
  });

  it("finishes what it was given before the store is closed", async () => {
    const store = open({ worker: WORKER });
    const groups = Array.from({ length: 10 }, (_, i) => store.commit([change(`a${i}`), change(`b${i}`)]));
    await store.close();
    expect((await Promise.all(groups)).flat().every(({ ok }) => ok)).toBe(true);
    expect((await open().checkpoint("workspace")).seq).toBe(20);
  });
});

describe("a full disk", () => {
  it("fails the store and not the changes, and harms nothing once there is room (invariant I8)", async () => {
    const { store, connection } = openWithConnection();
    await store.commit([change("a")]);
    connection.exec("PRAGMA max_page_count = 1");
    const large = "x".repeat(50_000);
    const group = [change("b", 0, large), change("c", 0, large)];
    await expect(store.commit(group)).rejects.toMatchObject({ code: "store_failed", retryable: true });
    await expect(store.commit([change("d", 0, large)])).rejects.toMatchObject({ code: "store_failed" });
    expect((await store.changed(group)).size).toBe(0);
    connection.exec("PRAGMA max_page_count = 1000000");
    expect((await store.commit(group)).map(({ ok }) => ok)).toEqual([true, true]);
  });
});

describe("erasure", () => {
  it("leaves nothing of what was erased in any file", async () => {
    const secret = "a-secret-that-must-go";
    const long = secret.repeat(500);
    const store = open();
    const entries = [newEntry("a.b", "", { secret }), newEntry("a.b", "", { long })];
    await store.commit([{ ...change("a", 0, secret), entries }, change("b", 0, long)]);
    // Earlier versions of a record are to go with it.
    await store.commit([change("a", 1, "short"), change("b", 1, "short"), change("c"), change("d")]);
    const inFiles = () => readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(secret));
    expect(inFiles()).not.toEqual([]);
    const records = ["a", "b"].map((id) => ({ kind: "approval" as const, id }));
    await store.erase({ workspaceId: "workspace", seqs: [1, 2], records }, newEntry(ERASED, "", { seqs: [1, 2] }));
    expect(inFiles()).toEqual([]);
  });
});

describe("many workspaces", () => {
  // From the 8,192nd on an entry's key is larger than a number of JavaScript's can say.
  it("keep each its own chain, past every number that JavaScript holds exactly", { timeout: 60_000 }, async () => {
    const store = open();
    const ofAll = Array.from({ length: 8_200 }, (_, n) => ({
      ...change(`record-${n}`),
      workspaceId: `workspace-${n}`,
    }));
    for (let at = 0; at < ofAll.length; at += 500) await store.commit(ofAll.slice(at, at + 500));
    for (const n of [0, 8_190, 8_191, 8_192, 8_199]) {
      const workspaceId = `workspace-${n}`;
      await store.commit([{ ...change(`record-${n}`, 1), workspaceId }]);
      const entries = await store.entries(workspaceId, 0, 10);
      expect(entries.map(({ seq, ref }) => [seq, ref])).toEqual([
        [1, `record-${n}`],
        [2, `record-${n}`],
      ]);
    }
  });
});

describe("what a change takes for new", () => {
  const taking = (key: string, id: string, more: Partial<Change> = {}): Change => ({
    changeId: newId(),
    workspaceId: "workspace",
    puts: [],
    entries: [],
    unique: [{ key, id, until: Number.MAX_SAFE_INTEGER }],
    ...more,
  });

  it("is refused where another connection has written it: alone, in a group, and before any limit (I4)", async () => {
    const [store, other] = [open(), open()];
    await store.commit([change("own")]);
    await other.commit([change("theirs", 0, "their value"), taking("key", "holder")]);
    const refused = { ok: false, refused: "version", current: { id: "theirs", value: "their value" } };
    expect(await store.commit([change("theirs")])).toMatchObject([refused]);
    const full = taking("key", "own", { counts: [{ key: "count", add: 1, max: 0 }] });
    expect(await store.commit([change("more"), change("theirs"), taking("key", "own"), full])).toMatchObject([
      { ok: true },
      refused,
      { ok: false, refused: "taken", holder: "holder" },
      { ok: false, refused: "taken", holder: "holder" },
    ]);
    expect(await store.get("approval", "more")).toMatchObject({ version: 1 });
  });

  it("is not known to be free after a refusal: nobody else can free what its holder keeps (I4)", async () => {
    const [store, other] = [open(), open()];
    await store.commit([change("own")]);
    await other.commit([taking("key", "holder")]);
    expect(await store.commit([taking("key", "own", { before: 1 })])).toMatchObject([{ ok: false, refused: "late" }]);
    const freeing = taking("key", "own", { unique: [{ key: "key", id: "own", until: 0 }] });
    expect(await store.commit([freeing])).toMatchObject([{ ok: false, refused: "taken", holder: "holder" }]);
  });

  it("can be taken, freed and taken again within one group", async () => {
    const store = open();
    const freeing = taking("key", "first", { unique: [{ key: "key", id: "first", until: 0 }] });
    const applied = await store.commit([taking("key", "first"), freeing, taking("key", "second")]);
    expect(applied.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(await open().commit([taking("key", "third")])).toMatchObject([{ refused: "taken", holder: "second" }]);
  });
});
