import { describe, expect, it } from "vitest";
import { mark } from "../support/marks.js";
import { redisMissing, skipped } from "../support/redis.js";
import { newServer, newStore, operator } from "./support.js";

describe.skipIf(redisMissing)(`the stream of a Redis store${skipped}`, () => {
  it("names for every write whose it was, and to which heads it led (I7)", async () => {
    const { url } = await newServer();
    const [store, other] = [await newStore({ url }), await newStore({ url })];
    await store.commit([mark(), mark(undefined, { workspaceId: "w2" }), mark()]);
    await other.commit([mark()]);
    const ask = await operator(url);
    const items = (await ask("XRANGE", "{countersign}:wake", "-", "+")) as [string, string[]][];
    const [first, second] = items.slice(-2).map(([, fields]) => fields) as [string[], string[]];
    const { seq, hash, time } = await store.checkpoint("w1");
    expect(seq).toBe(3);
    expect(first.filter((_, i) => i % 2 === 0)).toEqual(["by", "head:w1", "head:w2"]);
    expect(first[3]).toMatch(/^2 /);
    expect(second.slice(2)).toEqual(["head:w1", `3 ${Buffer.from(hash).toString("base64")} ${time} 0 open`]);
    expect(first[1]).not.toBe(second[1]);
  });
});
