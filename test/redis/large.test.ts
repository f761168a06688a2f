import { describe, expect, it } from "vitest";
import { verifyChain } from "../../src/core/audit.js";
import { newId } from "../../src/core/ids.js";
import { mark } from "../support/marks.js";
import { redisMissing, skipped } from "../support/redis.js";
import { newServer, newStore, operator } from "./support.js";

const MEGABYTE = 1_000_000;

describe.skipIf(redisMissing)(`a group that is larger than usual${skipped}`, () => {
  it("is written and told of, although it names more workspaces than a script has room for (I7)", async () => {
    const { url } = await newServer();
    const [store, ask] = [await newStore({ url }), await operator(url)];
    const names = Array.from({ length: 4_500 }, (_, n) => `w${n}`);
    const applied = await store.commit(names.map((workspaceId) => mark(newId(), { workspaceId })));
    expect(applied.filter(({ ok }) => ok)).toHaveLength(names.length);
    const items = (await ask("XRANGE", "{countersign}:wake", "-", "+")) as [string, string[]][];
    const told = new Set(items.flatMap(([, fields]) => fields));
    expect(names.filter((name) => !told.has(`head:${name}`))).toEqual([]);
  });

  it("goes to Redis in pieces, so that others are answered in between (I9, attack F11)", async () => {
    const { url } = await newServer();
    const [store, ask] = [await newStore({ url }), await operator(url)];
    const value = "x".repeat(MEGABYTE);
    const group = Array.from({ length: 10 }, () => {
      const id = newId();
      return mark(id, { puts: [{ kind: "call", id, version: 0, value }] });
    });
    expect((await store.commit(group)).every(({ ok }) => ok)).toBe(true);
    expect(Number(await ask("XLEN", "{countersign}:wake"))).toBeGreaterThan(2);
    const entries = await store.entries("w1", 0, 100);
    expect(entries.map(({ ref }) => ref)).toEqual(group.map(({ puts }) => puts[0]?.id));
    expect(verifyChain("w1", entries, [await store.checkpoint("w1")]).ok).toBe(true);
  });

  it("tells a change that is broken apart from the others in it", async () => {
    const { url } = await newServer();
    const store = await newStore({ url });
    const broken = { ...mark(), puts: undefined as never };
    expect(await store.commit([mark(), broken, mark()])).toMatchObject([
      { ok: true },
      { refused: "broken" },
      { ok: true },
    ]);
  });
});
