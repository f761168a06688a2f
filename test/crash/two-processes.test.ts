import { expect, it } from "vitest";
import { Child, place } from "./child.js";
import { evidenceIn } from "./evidence.js";

it.each<["decide-only" | "host", string]>([
  ["decide-only", "does not host the tool"],
  ["host", "hosts it too"],
])("wakes run() in one process when another decides, which (%s) %s, and runs it once (I1, I4)", async (mode) => {
  const where = await place();
  const waiting = new Child(where);
  await waiting.hears(({ step }) => step === "ready");
  waiting.send("wait");
  const { approvalId } = await waiting.hears(({ step }) => step === "held");
  const deciding = new Child(where, mode);
  await deciding.hears(({ step }) => step === "ready");
  deciding.send(`approve ${approvalId}`);
  expect((await deciding.hears(({ step }) => step === "decided")).as).toBe("approved");
  expect((await waiting.hears(({ step }) => step === "ended")).as).toBe("succeeded");
  expect(await Promise.all([waiting.end(), deciding.end()])).toEqual([0, 0]);
  const evidence = evidenceIn(where);
  await evidence.look();
  expect(evidence.broken([...waiting.told, ...deciding.told])).toEqual([]);
  expect(evidence.effects()).toEqual([approvalId]);
});
