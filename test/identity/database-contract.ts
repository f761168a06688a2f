import { describe, expect, it } from "vitest";
import type { IdentityDatabase } from "../../src/server/identity/index.js";

/** A request that is sent after another was answered is read in a later turn of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** What every identity database promises. `open` gives a further handle on the same, empty database of the test. */
export function describeIdentityDatabase(name: string, create: () => () => IdentityDatabase): void {
  const started = async () => {
    const open = create();
    const database = open();
    await database.run("CREATE TABLE thing (id TEXT PRIMARY KEY, n BIGINT, word TEXT)");
    return { open, database };
  };

  describe(`${name} as an identity database`, () => {
    it("gives back what was written, numbers as numbers and null as null", async () => {
      const { database } = await started();
      const made = await database.run("INSERT INTO thing VALUES (?, ?, ?) RETURNING id, n", "a", 2 ** 45, null);
      expect(made).toEqual([{ id: "a", n: 2 ** 45 }]);
      expect(await database.get("SELECT n, word FROM thing WHERE id = ?", "a")).toEqual({ n: 2 ** 45, word: null });
      expect(await database.get("SELECT n FROM thing WHERE id = ?", "b")).toBeUndefined();
      expect(await database.all("SELECT id FROM thing")).toEqual([{ id: "a" }]);
      await database.close();
    });

    it("commits a transaction whole, and nothing of one that throws", async () => {
      const { database } = await started();
      await database.transaction(async (queries) => {
        await queries.run("INSERT INTO thing VALUES ('a', 1, NULL)");
        await queries.run("INSERT INTO thing VALUES ('b', 1, NULL)");
      });
      const broken = database.transaction(async (queries) => {
        await queries.run("INSERT INTO thing VALUES ('c', 1, NULL)");
        await queries.run("INSERT INTO thing VALUES ('a', 1, NULL)");
      });
      await expect(broken).rejects.toThrow(/unique/i);
      expect(await database.all("SELECT id FROM thing ORDER BY id")).toEqual([{ id: "a" }, { id: "b" }]);
      await database.close();
    });

    it("keeps a relaxed commit like any other, for whoever opens it next", async () => {
      const { open, database } = await started();
      await database.transaction((queries) => queries.run("INSERT INTO thing VALUES ('a', 1, NULL)"), "relaxed");
      await database.close();
      const next = open();
      expect(await next.all("SELECT id FROM thing")).toEqual([{ id: "a" }]);
      await next.close();
    });

    it("keeps writes that run at the same time apart: a counter that is read and then written loses nothing", async () => {
      const { open, database } = await started();
      const other = open();
      await database.run("INSERT INTO thing VALUES ('a', 0, NULL)");
      const add = (through: IdentityDatabase) =>
        through.transaction(async (queries) => {
          const row = await queries.get<{ n: number }>("SELECT n FROM thing WHERE id = 'a'");
          await queries.run("UPDATE thing SET n = ? WHERE id = 'a'", (row?.n ?? 0) + 1);
        });
      await Promise.all(Array.from({ length: 20 }, () => add(database)));
      for (let i = 0; i < 20; i++) await add(i % 2 === 0 ? database : other);
      expect(await other.get("SELECT n FROM thing WHERE id = 'a'")).toEqual({ n: 40 });
      await Promise.all([database.close(), other.close()]);
    });

    it("does not show a read outside what an open transaction has not committed", async () => {
      const { database } = await started();
      await database.transaction(async (queries) => {
        await queries.run("INSERT INTO thing VALUES ('a', 1, NULL)");
        expect(await queries.get("SELECT id FROM thing")).toEqual({ id: "a" });
        expect(await database.get("SELECT id FROM thing")).toBeUndefined();
      });
      expect(await database.get("SELECT id FROM thing")).toEqual({ id: "a" });
      await database.close();
    });

    it("recalls what stands now: after a write of its own, of another instance, and of one that failed (I11)", async () => {
      const { open, database } = await started();
      const other = open();
      await database.run("INSERT INTO thing VALUES ('a', 1, 'live')");
      const word = async (through: Pick<IdentityDatabase, "recall">) => {
        await nextTurn();
        return (await through.recall<{ word: string }>("SELECT word FROM thing WHERE id = ?", "a"))[0]?.word;
      };
      expect([await word(database), await word(database), await word(other)]).toEqual(["live", "live", "live"]);
      await database.recall("SELECT word FROM thing WHERE id = ?", "a");
      await database.run("UPDATE thing SET word = 'revoked'");
      // Its own writes count within the same turn.
      expect(await database.recall("SELECT word FROM thing WHERE id = ?", "a")).toEqual([{ word: "revoked" }]);
      expect([await word(database), await word(other)]).toEqual(["revoked", "revoked"]);
      await other.run("UPDATE thing SET word = 'live again'");
      expect([await word(database), await word(other)]).toEqual(["live again", "live again"]);
      const failed = other.transaction(async (queries) => {
        await queries.run("UPDATE thing SET word = 'never'");
        expect(await word(queries)).toBe("never");
        expect(await word(database)).toBe("live again");
        throw new Error("undone");
      });
      await expect(failed).rejects.toThrow("undone");
      expect([await word(database), await word(other)]).toEqual(["live again", "live again"]);
      await other.run("DELETE FROM thing");
      expect([await word(database), await word(other)]).toEqual([undefined, undefined]);
      await Promise.all([database.close(), other.close()]);
    });

    it("recalls what another instance wrote between two counts of its own", async () => {
      const { open, database } = await started();
      const other = open();
      await database.run("INSERT INTO thing VALUES ('a', 0, 'live')");
      const count = () => database.transaction((queries) => queries.run("UPDATE thing SET n = n + 1"), "relaxed");
      const word = () => database.recall("SELECT word FROM thing WHERE id = ?", "a");
      await word();
      await count();
      await other.run("UPDATE thing SET word = 'revoked'");
      await count();
      await nextTurn();
      expect(await word()).toEqual([{ word: "revoked" }]);
      await Promise.all([database.close(), other.close()]);
    });

    it("counts many at once one by one, and undoes the one that throws alone", async () => {
      const { database } = await started();
      await database.run("INSERT INTO thing VALUES ('a', 0, NULL)");
      const counts = Array.from({ length: 20 }, (_, n) =>
        database.transaction(async (queries) => {
          const [row] = await queries.run<{ n: number }>("UPDATE thing SET n = n + 1 WHERE id = 'a' RETURNING n");
          if (n % 2 === 1) throw new Error(`refused at ${row?.n}`);
          return row?.n;
        }, "relaxed"),
      );
      const results = await Promise.allSettled(counts);
      const counted = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      expect(counted.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(await database.get("SELECT n FROM thing WHERE id = 'a'")).toEqual({ n: 10 });
      await database.close();
      await expect(database.transaction(async () => undefined, "relaxed")).rejects.toMatchObject({ code: "closed" });
    });

    it("lets exactly one of many conditional updates win", async () => {
      const { database } = await started();
      await database.run("INSERT INTO thing VALUES ('a', NULL, NULL)");
      const spend = (n: number) => database.run("UPDATE thing SET n = ? WHERE id = 'a' AND n IS NULL RETURNING n", n);
      const results = await Promise.all(Array.from({ length: 20 }, (_, n) => spend(n)));
      expect(results.filter((rows) => rows.length === 1)).toHaveLength(1);
      await database.close();
    });

    it("goes on after a failed write, and refuses writes once closed", async () => {
      const { database } = await started();
      await expect(database.run("INSERT INTO nowhere VALUES (1)")).rejects.toThrow(/nowhere/);
      await database.run("INSERT INTO thing VALUES ('a', 1, NULL)");
      await database.close();
      await expect(database.run("DELETE FROM thing")).rejects.toMatchObject({ code: "closed" });
    });
  });
}
