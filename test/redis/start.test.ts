import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../src/server/open-store.js";
import { redisStore } from "../../src/stores/redis.js";
import { mark } from "../support/marks.js";
import { redisMissing, skipped } from "../support/redis.js";
import { newServer, newStore, operator } from "./support.js";

/** The warnings of this process while the test runs. */
function warnings(): string[] {
  const heard: string[] = [];
  const spy = vi.spyOn(process, "emitWarning").mockImplementation((warning) => void heard.push(String(warning)));
  onTestFinished(() => spy.mockRestore());
  return heard;
}

describe.skipIf(redisMissing)(`starting on a Redis server${skipped}`, () => {
  it("promises durability where every write is flushed, and warns of nothing", async () => {
    const heard = warnings();
    const store = await newStore({ url: (await newServer()).url });
    expect(store.promises()).toEqual({
      engine: "redis",
      durable: true,
      shared: true,
      text: "Kept in Redis: what was acknowledged survives a crash and a power cut of this server.",
    });
    expect(heard).toEqual([]);
  });

  it.each([
    [{ appendfsync: "everysec" }, "the last second"],
    [{ appendonly: "no" }, "since the last snapshot"],
    [{ "no-appendfsync-on-rewrite": "yes" }, "while the log is rewritten"],
  ])("warns in plain words when the server is set to %j", async (settings, words) => {
    const heard = warnings();
    const store = await newStore({ url: (await newServer(settings)).url });
    expect(store.promises()).toMatchObject({ durable: false, shared: true });
    expect(store.promises().text).toContain(words);
    expect(heard).toEqual([store.promises().text]);
  });

  it("promises nothing where the server keeps its settings to itself", async () => {
    const heard = warnings();
    const { url } = await newServer();
    const send = await operator(url);
    await send("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "-config");
    const store = await newStore({ url: url.replace("//", "//app:secret@") });
    expect(store.promises()).toMatchObject({ durable: false });
    expect(heard[0]).toContain("does not tell how it persists");
  });

  it.each(["allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-ttl"])(
    "refuses the eviction policy %s, which may drop marks (fault R11)",
    async (policy) => {
      const { url } = await newServer({ "maxmemory-policy": policy });
      await expect(redisStore({ url })).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringContaining(`maxmemory-policy ${policy}`),
      });
    },
  );

  it("refuses a replica, and says after a look at the primary what a failover would mean (fault R10)", async () => {
    const primary = await newServer();
    const replica = await newServer({ replicaof: `127.0.0.1 ${primary.port}` });
    await expect(redisStore({ url: replica.url })).rejects.toMatchObject({
      message: expect.stringContaining("role is slave"),
    });
    const send = await operator(primary.url);
    await vi.waitFor(async () => expect(String(await send("INFO", "replication"))).toContain("connected_slaves:1"));
    const store = await newStore({ url: primary.url });
    expect(store.promises().text).toContain("After a failover");
  });

  it("is what the server opens when its setting names a Redis", async () => {
    const store = await openStore({ store: (await newServer()).url, data: "" });
    onTestFinished(() => store.close());
    expect(store.promises()).toMatchObject({ engine: "redis", durable: true });
  });

  it("looks again when the server was restarted: weaker settings are warned of, unfit ones refused", async () => {
    const heard = warnings();
    const server = await newServer();
    const store = await newStore({ url: server.url });
    await server.kill();
    await server.start({ appendfsync: "everysec" });
    await store.get("approval", "a");
    expect(store.promises().durable).toBe(false);
    expect(heard).toEqual([store.promises().text]);
    await server.kill();
    await server.start({ "maxmemory-policy": "allkeys-lru" });
    await expect(store.commit([mark()])).rejects.toMatchObject({ message: expect.stringContaining("allkeys-lru") });
  });

  it("refuses a member of a cluster", async () => {
    const { url } = await newServer({ "cluster-enabled": "yes" });
    await expect(redisStore({ url })).rejects.toMatchObject({ message: expect.stringContaining("one primary") });
  });

  it.each(["1", "3"])(
    "refuses data of format %s, an older or later one, also to renew it (fault R23)",
    async (format) => {
      const { url } = await newServer();
      await (await newStore({ url })).close();
      const send = await operator(url);
      await send("HSET", "{countersign}:store", "format", format);
      const refused = { message: expect.stringContaining(`format ${format}`) };
      await expect(redisStore({ url })).rejects.toMatchObject(refused);
      await send("HSET", "{countersign}:store", "fenced", "fence behind");
      await expect(redisStore({ url, renew: "fence" })).rejects.toMatchObject(refused);
      expect(await send("HGET", "{countersign}:store", "format")).toBe(format);
    },
  );
});

it("says at once when no server is there, and when it was told of none", async () => {
  await expect(redisStore({ url: "redis://127.0.0.1:1" })).rejects.toMatchObject({ code: "store_failed" });
  await expect(redisStore({})).rejects.toMatchObject({ code: "invalid_call" });
  await expect(redisStore({ url: "redis://127.0.0.1:1", prefix: "a*" })).rejects.toMatchObject({
    code: "invalid_call",
  });
});
