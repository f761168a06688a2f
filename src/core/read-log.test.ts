import { expect, it } from "vitest";
import { newEntry } from "./audit.js";
import type { Grouper } from "./grouper.js";
import { ReadLog } from "./read-log.js";

it("waits for reads that an earlier flush is still writing", async () => {
  let release = () => {};
  const written: string[] = [];
  const slow = {
    commit: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      written.push("read");
    },
  } as unknown as Grouper;
  let due = () => {};
  const clock = {
    now: () => 0,
    timer: (_: number, run: () => void) => {
      due = run;
      return () => {};
    },
  };
  const log = new ReadLog(slow, clock, () => {});
  log.add("home", newEntry("call.read", "", {}));
  due();
  const flushed = log.flush().then(() => [...written]);
  release();
  expect(await flushed).toEqual(["read"]);
});
