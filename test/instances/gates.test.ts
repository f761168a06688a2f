import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Host, Store } from "../../src/core/ports.js";
import { createGate, type Gate, type GateOptions } from "../../src/index.js";
import { postgresStore } from "../../src/stores/postgres.js";
import { redisStore } from "../../src/stores/redis.js";
import { ANN, ask, BOB, CALLER, type Counted, codeOf, counted, latch } from "../gate/support.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../support/postgres.mjs";
import { RedisServer, redisMissing } from "../support/redis.js";

let postgres: PostgresServer;
let redis: RedisServer;
let worlds = 0;

const ENGINES = {
  postgres: {
    missing: postgresMissing(),
    start: async () => (postgres = await startPostgres()),
    stop: () => postgres?.stop(),
    open: (name: string) => postgresStore({ url: postgres.url(), schema: name, maxConnections: 4 }),
  },
  redis: {
    missing: redisMissing,
    start: async () => (redis = await RedisServer.start({}, { inMemory: true })),
    stop: () => redis?.stop(),
    open: (name: string): Promise<Store> => redisStore({ url: redis.url, prefix: name }),
  },
};

const hostOf = (pid: number, dead: readonly number[] = []): Host => ({
  self: { host: "here", pid, started: "1" },
  isGone: (process) => dead.includes(process.pid),
});

describe.each(Object.entries(ENGINES))("gates of several instances on one %s", (_name, engine) => {
  const { missing } = engine;
  let name: string;

  beforeAll(async () => {
    if (missing === undefined) await engine.start();
  });
  afterAll(() => engine.stop());
  beforeEach(() => {
    name = `gates_${++worlds}`;
  });

  /** Another instance: a store and a gate of its own on the same data. */
  async function instance(options: Partial<GateOptions> = {}): Promise<Gate> {
    const gate = createGate({ caller: CALLER, ...options, store: await engine.open(name) });
    onTestFinished(() => gate.close());
    return gate;
  }

  it.skipIf(missing)("agree on each of many answers that come as time runs out (faults R14, R15, I4)", async () => {
    const tool = counted();
    const [asking, deciding] = [await instance({ tools: [tool], limits: { ttl: 300 } }), await instance()];
    const answers = Array.from({ length: 40 }, async (_, n) => {
      const approvalId = await ask(asking, String(n));
      const { decideBy } = await deciding.approval(approvalId, ANN);
      // Spread around the end, before and after it; on which side each falls is for the store to say.
      await new Promise((resolve) => setTimeout(resolve, decideBy - deciding.store.time() + (n - 20) * 4));
      const answer = await codeOf(deciding.decide({ approvalId, decision: "approve" }, ANN));
      return { approvalId, answer, decideBy };
    });
    for (const { approvalId, answer, decideBy } of await Promise.all(answers)) {
      await expect.poll(async () => (await asking.resume(approvalId)).type, { timeout: 20_000 }).not.toBe("pending");
      const [here, there] = [await asking.approval(approvalId, ANN), await deciding.approval(approvalId, ANN)];
      expect(here.resolution).toEqual(there.resolution);
      expect(["no error", "expired"]).toContain(answer);
      expect(here.resolution?.type).toBe(answer === "no error" ? "approved" : "expired");
      if (answer === "no error") expect(here.resolution?.at).toBeLessThan(decideBy);
    }
    expect(new Set(tool.runs.map(({ id }) => id)).size).toBe(tool.runs.length);
    expect(await deciding.verify()).toMatchObject({ ok: true });
  });

  it.skipIf(missing)(
    "let a withdrawal before the claim win, and tell one after it that it is too late (fault R16, I4)",
    async () => {
      const done = latch<string>();
      const tool = counted({ execute: () => done.promise });
      const [first, second] = [await instance({ tools: [tool] }), await instance({ tools: [tool] })];
      const withdrawn = await ask(first, "withdrawn");
      await second.cancel({ approvalId: withdrawn }, CALLER);
      expect(await codeOf(first.decide({ approvalId: withdrawn, decision: "approve" }, ANN))).toBe("already_resolved");
      const started = await ask(first, "started");
      await first.decide({ approvalId: started, decision: "approve" }, ANN);
      expect(await codeOf(second.cancel({ approvalId: started }, CALLER))).toBe("already_resolved");
      done.open("done");
      await expect.poll(async () => (await second.resume(started)).type, { timeout: 20_000 }).toBe("succeeded");
      expect((await second.resume(withdrawn)).type).toBe("cancelled");
    },
  );

  it.skipIf(missing)("start an approved call once although whoever asked is gone (faults R16, R17, I1)", async () => {
    const tools = [counted(), counted(), counted()] as const;
    const asking = await instance({ tools: [tools[0]] });
    const approvalId = await ask(asking);
    await asking.close();
    // Nobody who could run it is there when the person answers.
    const deciding = await instance();
    expect(await deciding.decide({ approvalId, decision: "approve" }, BOB)).toMatchObject({ state: "approved" });
    const hosts = await Promise.all([instance({ tools: [tools[1]] }), instance({ tools: [tools[2]] })]);
    await Promise.all(hosts.flatMap((host) => [host.sweep(), host.resume(approvalId)]));
    await expect.poll(async () => (await deciding.resume(approvalId)).type, { timeout: 20_000 }).toBe("succeeded");
    expect(tools.flatMap(({ runs }: Counted) => runs)).toEqual([{ id: "7" }]);
  });

  it.skipIf(missing)("leave a call alone that another one still runs (fault R19, I1)", async () => {
    const done = latch<string>();
    const [running, idle] = [counted({ execute: () => done.promise }), counted()];
    const first = await instance({ tools: [running], host: hostOf(1) });
    const approvalId = await ask(first);
    await first.decide({ approvalId, decision: "approve" }, ANN);
    const second = await instance({ tools: [idle], host: hostOf(2) });
    for (let look = 0; look < 3; look++) await second.sweep();
    expect(await second.approval(approvalId, ANN)).toMatchObject({ state: "executing" });
    done.open("done");
    await expect.poll(async () => (await second.resume(approvalId)).type, { timeout: 20_000 }).toBe("succeeded");
    expect(idle.runs).toEqual([]);
  });

  it.skipIf(missing)(
    "do not let one that was given up for dead contradict what a person has settled since (fault R19, I6)",
    async () => {
      const done = latch<string>();
      const first = await instance({ tools: [counted({ execute: () => done.promise })], host: hostOf(1) });
      const approvalId = await ask(first);
      await first.decide({ approvalId, decision: "approve" }, ANN);
      const second = await instance({ host: hostOf(2, [1]) });
      await second.sweep();
      expect((await second.resume(approvalId)).type).toBe("unknown");
      await second.settle(approvalId, ANN, { type: "failed", error: "looked, and it was not there" });
      done.open("done");
      await first.close();
      expect(await second.resume(approvalId)).toMatchObject({ type: "failed", error: "looked, and it was not there" });
      expect(await second.verify()).toMatchObject({ ok: true });
    },
  );
});
