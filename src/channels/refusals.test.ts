import { expect, it } from "vitest";
import { createGate } from "../create-gate.js";
import { memoryStore } from "../stores/memory.js";
import { fakeClock } from "../testing/clock.js";
import type { DeskContext } from "./desk-context.js";
import { noteRefused } from "./refusals.js";

it("writes one entry for each refusal, few of a flood, hides no other kind behind it, and tells later how many (I7)", async () => {
  const clock = fakeClock();
  const gate = createGate({ store: memoryStore(), tools: [] });
  const context = { gate, clock, notice: () => undefined } as unknown as DeskContext;
  const entries = async () =>
    (await gate.entries(gate.caller.workspaceId, 0, 1_000)).filter(({ type }) => type === "channel.refused");
  for (let time = 0; time < 100; time++) await noteRefused(context, "slack", "too_large");
  expect(await entries()).toHaveLength(30);
  await noteRefused(context, "slack", "signature");
  await noteRefused(context, "telegram", "too_large");
  expect(await entries()).toHaveLength(32);
  await clock.advance(60_000);
  await noteRefused(context, "slack", "too_large");
  await noteRefused(context, "slack", "too_large");
  const said = (await entries()).map(({ content }) => JSON.parse(String(content)) as object);
  expect(said.slice(-2)).toEqual([
    { channel: "slack", why: "too_large", leftOut: 70 },
    { channel: "slack", why: "too_large" },
  ]);
  await gate.close();
});
