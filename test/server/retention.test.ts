import { expect, it, onTestFinished } from "vitest";
import { createGate, defineTool, memoryStore } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { fakeClock } from "../../src/testing/index.js";
import { tempFile } from "../identity/world.js";

const HOUR = 3_600_000;

it("erases by itself what a server in one's own process has kept for longer than its privacy page says (C31)", async () => {
  const clock = fakeClock();
  const store = memoryStore({ clock });
  const tool = defineTool({ name: "notes.label", effect: "write", riskTier: "R1", execute: () => 1 });
  const gate = createGate({ store, clock, tools: [tool] });
  const served = await serve(gate, { port: 0, web: false, identity: tempFile(), clock });
  onTestFinished(() => served.close());
  const { workspaceId } = gate.caller;
  expect(await gate.submit({ tool: "notes.label", args: { as: "old" } })).toMatchObject({ type: "succeeded" });
  const contents = async () =>
    (await store.entries(workspaceId, 0, 100)).flatMap(({ type, content }) =>
      type.startsWith("call.") ? [content] : [],
    );
  expect(await contents()).not.toContain(null);
  // It looks once an hour. The rest of the day goes by as on a machine that sleeps.
  clock.set(clock.now() + 22 * HOUR);
  await clock.advance(HOUR);
  expect(await contents()).not.toContain(null);
  await clock.advance(2 * HOUR);
  await expect.poll(contents).toEqual((await contents()).map(() => null));
});
