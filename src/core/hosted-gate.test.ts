import { expect, it } from "vitest";
import { createGate } from "../create-gate.js";
import { memoryStore } from "../stores/memory.js";

it("writes an event of the outside once, however often and by however many gates it is told", async () => {
  const store = memoryStore();
  const gates = [createGate({ store, tools: [] }), createGate({ store, tools: [] })];
  const event = { eventId: "e1", workspaceId: "w1", type: "key.created", content: { by: "ann" }, tightens: true };
  await Promise.all(gates.flatMap((gate) => [gate.note(event), gate.note(event)]));
  await gates[0]?.note(event);
  await gates[0]?.note({ ...event, eventId: "e2" });
  const types = (await store.entries("w1", 0, 10)).map((entry) => entry.type);
  expect(types).toEqual(["key.created", "key.created"]);
  expect((await store.checkpoint("w1")).epoch).toBe(2);
  await Promise.all(gates.map((gate) => gate.close()));
});

it("says so when an event cannot be written, so that it is told again", async () => {
  const gate = createGate({ store: memoryStore(), tools: [] });
  const event = { eventId: "\0", workspaceId: "w1", type: "key.created", content: {}, tightens: false };
  await expect(gate.note(event)).rejects.toMatchObject({ code: "store_failed" });
  await gate.close();
});
