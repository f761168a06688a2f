import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Book, Delivery } from "../../src/channels/book.js";
import { memoryBook } from "../../src/channels/memory-book.js";
import { sqlBook } from "../../src/server/channels/sql-book.js";
import {
  type IdentityDatabase,
  postgresIdentityDatabase,
  sqliteIdentityDatabase,
} from "../../src/server/identity/index.js";
import { migrate } from "../../src/server/identity/migrate.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../support/postgres.mjs";

const missing = postgresMissing();
let server: PostgresServer;
let schemas = 0;
beforeAll(async () => {
  if (missing === undefined) server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
});

const after: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of after.splice(0).reverse()) await close();
});

async function onSql(database: IdentityDatabase): Promise<Book> {
  after.push(() => database.close());
  await migrate(database, 0);
  return sqlBook(database);
}

const BOOKS: Readonly<Record<string, () => Promise<Book>>> = {
  memory: async () => memoryBook(),
  sqlite: () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-book-"));
    after.push(() => rmSync(folder, { recursive: true, force: true }));
    return onSql(sqliteIdentityDatabase(join(folder, "identity.db")));
  },
  postgres: () => onSql(postgresIdentityDatabase({ url: server.url(), schema: `book_${++schemas}` })),
};

const delivery = (id: string, more: Partial<Delivery> = {}): Delivery => ({
  id,
  version: 1,
  workspaceId: "home",
  approvalId: "a1",
  toolCallHash: "hash",
  channel: "feishu",
  chat: { kind: "private", id: `chat-${id}` },
  locale: "zh",
  code: "27",
  state: "queued",
  shows: "question",
  wants: "question",
  approvable: false,
  attempts: 0,
  dueAt: 100,
  expiresAt: 1_000,
  misses: 0,
  askedAgain: false,
  reminded: false,
  ...more,
});

const names = Object.keys(BOOKS).filter((name) => name !== "postgres" || missing === undefined);

describe.each(names)("the channels' book in %s", (name) => {
  const open = BOOKS[name] as () => Promise<Book>;

  it("keeps a delivery as it was written", async () => {
    const book = await open();
    const written = delivery("d1", { userId: "ann", messageId: "m1", sentAt: 5, sequence: 9, cardHash: "c" });
    expect(await book.add(written)).toBe(true);
    expect(await book.get("d1")).toEqual(written);
    expect(await book.get("none")).toBeUndefined();
  });

  it("tells one chat of one call once, whoever else tries", async () => {
    const book = await open();
    const same = { chat: { kind: "group", id: "g" } } as const;
    const added = await Promise.all(["d1", "d2", "d3"].map((id) => book.add(delivery(id, same))));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await book.add(delivery("d4", { ...same, toolCallHash: "edited" }))).toBe(true);
  });

  it("lets one of two who change the same version win", async () => {
    const book = await open();
    await book.add(delivery("d1"));
    const saved = await Promise.all([1, 2].map((attempts) => book.save(delivery("d1", { attempts }))));
    expect(saved.filter(Boolean)).toHaveLength(1);
    expect((await book.get("d1"))?.version).toBe(2);
  });

  it("gives what is due, the longest waiting first", async () => {
    const book = await open();
    await book.add(delivery("late", { dueAt: 90 }));
    await book.add(delivery("first", { dueAt: 10 }));
    await book.add(delivery("later", { dueAt: 101 }));
    await book.add(delivery("never", { dueAt: null }));
    expect((await book.due(100, 10)).map(({ id }) => id)).toEqual(["first", "late"]);
    expect((await book.due(100, 1)).map(({ id }) => id)).toEqual(["first"]);
  });

  it("finds the open questions of a chat, and those of an approval", async () => {
    const book = await open();
    const chat = { kind: "private", id: "here" } as const;
    await book.add(delivery("open", { state: "sent", chat }));
    await book.add(delivery("queued", { chat, toolCallHash: "other" }));
    await book.add(delivery("failed", { state: "failed", chat, toolCallHash: "fourth" }));
    await book.add(delivery("ended", { state: "sent", wants: "ended", chat, toolCallHash: "third" }));
    await book.add(delivery("elsewhere", { state: "sent", channel: "slack", chat }));
    expect((await book.openIn("feishu", "here")).map(({ id }) => id).sort()).toEqual(["open", "queued"]);
    expect((await book.ofApproval("a1")).map(({ id }) => id).sort()).toEqual([
      "elsewhere",
      "ended",
      "failed",
      "open",
      "queued",
    ]);
    const open1 = await book.get("open");
    if (open1 !== undefined) await book.save({ ...open1, wants: "approved" });
    expect((await book.openIn("feishu", "here")).map(({ id }) => id)).toEqual(["queued"]);
  });

  it("knows who named an event first, until its time is over", async () => {
    const book = await open();
    const firsts = await Promise.all([1, 2, 3].map(() => book.first("e1", 0, 50)));
    expect(firsts.filter(Boolean)).toHaveLength(1);
    await book.sweep(49, 0);
    expect(await book.first("e1", 49, 50)).toBe(false);
    expect(await book.first("e1", 50, 60)).toBe(true);
    await book.sweep(60, 0);
    expect(await book.first("e1", 0, 90)).toBe(true);
  });

  it("remembers an event for longer, and none that nobody named", async () => {
    const book = await open();
    await book.keep("e1", 50);
    expect(await book.first("e1", 10, 20)).toBe(true);
    await book.keep("e1", 50);
    expect(await book.first("e1", 49, 50)).toBe(false);
    await book.keep("e1", 40);
    expect(await book.first("e1", 40, 90)).toBe(true);
  });

  it("moves a cursor forward only", async () => {
    const book = await open();
    expect(await book.cursor("home")).toBeUndefined();
    await book.moveCursor("home", 7);
    await book.moveCursor("home", 3);
    expect(await book.cursor("home")).toBe(7);
  });

  it("remembers the chat of a session, the last one that was told", async () => {
    const book = await open();
    await book.rememberChat("s", { channel: "feishu", chat: { kind: "group", id: "g1" } });
    await book.rememberChat("s", { channel: "slack", chat: { kind: "private", id: "D1" } });
    expect(await book.chatOf("s")).toEqual({ channel: "slack", chat: { kind: "private", id: "D1" } });
    expect(await book.chatOf("t")).toBeUndefined();
  });

  it("forgets deliveries that ended long ago, and nothing that is still due", async () => {
    const book = await open();
    await book.add(delivery("old", { dueAt: null, expiresAt: 10 }));
    await book.add(delivery("due", { dueAt: 5, expiresAt: 10 }));
    await book.sweep(100, 50);
    expect(await book.get("old")).toBeUndefined();
    expect(await book.get("due")).toEqual(delivery("due", { dueAt: 5, expiresAt: 10 }));
  });
});
