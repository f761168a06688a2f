import fc from "fast-check";
import { expect, it } from "vitest";
import { verifyChain } from "../../src/core/audit.js";
import { SEED } from "../model/check.js";
import { Child, type Point, place } from "./child.js";
import { type Evidence, evidenceIn } from "./evidence.js";

const KILLS = process.env["COUNTERSIGN_LONG"] === "1" ? 500 : 20;

it(`keeps every promise through ${KILLS} kills at random moments (I1, I2, I5, I6, I7)`, {
  timeout: 3_600_000,
}, async () => {
  const where = await place();
  const moments = fc.sample(
    fc.record({ steps: fc.integer({ min: 1, max: 40 }), delay: fc.double({ min: 0, max: 6, noNaN: true }) }),
    { seed: SEED, numRuns: KILLS },
  );
  const told = [];
  let evidence: Evidence | undefined;
  for (const { steps, delay } of moments) {
    const child = new Child(where);
    await child.hears(({ step }) => step === "ready");
    evidence ??= evidenceIn(where);
    await evidence.look();
    // Found at once by the successor: nobody waited for a lease to run out.
    expect(evidence.inState("executing"), `COUNTERSIGN_SEED=${SEED}`).toEqual([]);
    child.send("work");
    await child.hears(() => child.told.length > steps);
    await new Promise((resolve) => setTimeout(resolve, delay));
    expect(await child.kill()).toBe("SIGKILL");
    told.push(...child.told);
  }
  const last = new Child(where);
  await last.hears(({ step }) => step === "ready");
  await last.end();
  await evidence?.look();
  expect(evidence?.broken(told), `COUNTERSIGN_SEED=${SEED}`).toEqual([]);
  expect(told.length).toBeGreaterThan(KILLS);
});

it.each<[Point, number]>([
  ["before-effect", 0],
  ["during-effect", 1],
  ["after-effect", 1],
])("calls a run unknown when its process died %s, and never starts it again (I1, I6)", async (point, effects) => {
  const where = await place();
  const child = new Child(where, "host", point);
  await child.hears(({ step }) => step === "ready");
  child.send("once");
  expect(await child.exited).toBe("SIGKILL");
  const next = new Child(where);
  await next.hears(({ step }) => step === "ready");
  await next.end();
  const evidence = evidenceIn(where);
  await evidence.look();
  expect(evidence.broken(child.told)).toEqual([]);
  expect(evidence.inState("unknown")).toHaveLength(1);
  expect(evidence.effects()).toHaveLength(effects);
  const listed = await evidence.store.list("unknown/w1", "", 10);
  expect(listed.map(({ id }) => id)).toEqual(evidence.inState("unknown"));
  const entries = await evidence.store.entries("w1", 0, 1_000);
  expect(verifyChain("w1", entries, [await evidence.store.checkpoint("w1")]).ok).toBe(true);
});
