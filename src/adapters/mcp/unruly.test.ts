import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ANN, approve, cards, until } from "../../../test/adapters/contract.js";
import { connect, openGate } from "../../../test/adapters/mcp-client.js";
import type { GateOptions } from "../../core/gate.js";
import { memoryStore } from "../../stores/memory.js";
import { fakeClock } from "../../testing/clock.js";
import { readServers } from "./index.js";

const program = fileURLToPath(new URL("../../../test/adapters/unruly-server.mjs", import.meta.url));
const mail = (text: string) => ({ name: "sendMail", arguments: { to: "bo@example.com", text } });

async function unruly(options: Partial<GateOptions> = {}) {
  const gate = openGate(options);
  const servers = readServers({ mcpServers: { unruly: { command: process.execPath, args: [program] } } });
  const declare = { unruly: { tools: { turn: { effect: "read" }, sendMail: { riskTier: "R3" } } } } as const;
  return { gate, ...(await connect({ gate, servers, declare, holdFor: 60_000 })) };
}

describe("a server that does not behave", () => {
  it("attack A11: a definition that it says it has changed while people think is looked at before anything runs", async () => {
    const { gate, client } = await unruly();
    const called = client.callTool(mail("hello"));
    const [card] = await cards(gate, 1);
    await client.callTool({ name: "turn", arguments: {} });
    await approve(gate, card).catch(() => undefined);
    const told = JSON.stringify(await called);
    expect(told).toContain("isError");
    expect(told).not.toContain("ran as");
  });

  it.each([
    ["it dies", "die"],
    ["the client gives up", "hang"],
  ])("fault R18, invariant I6: a call during which %s is unknown, not failed", async (_why, text) => {
    const clock = fakeClock();
    const { gate, client } = await unruly({ store: memoryStore({ clock }), clock });
    const giveUp = new AbortController();
    const called = client.callTool(mail(text), { signal: giveUp.signal }).catch(String);
    const [card] = await cards(gate, 1);
    await approve(gate, card);
    const stateOf = async () => (await gate.approval(card.approvalId, ANN)).state;
    await until(gate, async () => (await stateOf()) === "executing");
    giveUp.abort();
    await called;
    await clock.advance(6 * 60_000);
    await until(gate, async () => (await stateOf()) !== "executing");
    expect(await stateOf()).toBe("unknown");
  });
});
