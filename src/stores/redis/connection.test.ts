import { afterEach, expect, it, vi } from "vitest";
import { Connection, type RedisClient } from "./connection.js";

afterEach(() => {
  vi.useRealTimers();
});

/** A server that takes everything and says nothing. */
const silent: RedisClient = {
  isReady: true,
  sendCommand: () => new Promise(() => {}),
  duplicate: () => silent,
  connect: async () => undefined,
  destroy: () => undefined,
  on: () => undefined,
};

it("gives up a server that does not answer after ten seconds, also when this machine's clock is set back (I9, fault R14)", async () => {
  vi.useFakeTimers();
  const failed = new Connection(silent, false).send("PING").catch((error: Error) => error.message);
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(12_000);
  expect(vi.getTimerCount()).toBe(0);
  expect(await failed).toMatch(/did not answer/);
});
