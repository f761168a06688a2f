import { tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ANN, approve, CALLER, cards, named, until } from "../../test/adapters/contract.js";
import { openGate } from "../../test/adapters/mcp-client.js";
import { gated } from "./ai-sdk/index.js";
import { attach } from "./attach.js";
import type { GateLike } from "./gate-like.js";
import { isTold } from "./told.js";

const DEFINITION = { name: "sendMail" } as const;
const request = (run: () => unknown, over = {}) => ({
  args: { to: "bo" },
  callId: "1",
  caller: undefined,
  run,
  ...over,
});

describe("a framework's tool behind a gate", () => {
  it("is the same one for an app that wraps its tools on every request, and another definition is refused", () => {
    const gate = openGate();
    expect(attach(gate, DEFINITION)).toBe(attach(gate, DEFINITION));
    expect(() => attach(gate, { ...DEFINITION, description: "Another." })).toThrow("share the name");
  });

  it("runs with the closure of the request that asked, not of a later one", async () => {
    const gate = openGate();
    const first = attach(gate, DEFINITION).tell(() => request(() => "as Ann"));
    const [card] = await cards(gate, 1);
    const second = attach(gate, DEFINITION).tell(() => request(() => "as Bo", { args: { to: "cy" }, callId: "2" }));
    await cards(gate, 2);
    await approve(gate, card);
    expect(await first).toBe("as Ann");
    const open = await cards(gate, 1);
    await approve(gate, open[0]);
    expect(await second).toBe("as Bo");
  });

  it("invariant I11: gives one person's run to nobody else, although session, id and arguments are the same", async () => {
    const gate = openGate();
    const attached = attach(gate, DEFINITION);
    const bo = { ...ANN, userId: "bo" };
    const first = attached.tell(() => request(() => "as Ann", { caller: CALLER }));
    const [card] = await cards(gate, 1);
    const caller = { ...CALLER, userId: "bo", agentId: "agent-8" };
    const second = attached.tell(() => request(() => "as Bo", { caller }));
    await approve(gate, card);
    expect(await first).toBe("as Ann");
    await until(gate, async () => (await gate.pending(bo)).length === 1);
    await gate.decide({ ...named((await gate.pending(bo))[0]), decision: "approve" }, bo);
    expect(await second).toBe("as Bo");
  });

  it("invariant I11: a read runs with the closure of its own request, although another one asks the same at once", async () => {
    const gate = openGate();
    const read = attach(gate, { name: "listMail", effect: "read" });
    const ask = (who: string) => read.tell(() => request(async () => `mail of ${who}`));
    expect(await Promise.all([ask("Ann"), ask("Bo"), ask("Cy")])).toEqual(["mail of Ann", "mail of Bo", "mail of Cy"]);
  });

  it("fault: a run whose end cannot be written down is told as unknown, and is not run again", async () => {
    const gate = openGate();
    const finish = () => Promise.reject(new Error("the store is gone"));
    const faulty = Object.assign(Object.create(gate) as GateLike, {
      submit: gate.submit.bind(gate),
      run: gate.run.bind(gate),
      resume: gate.resume.bind(gate),
      claim: gate.claim.bind(gate),
      registry: gate.registry,
      finish,
    });
    let ran = 0;
    const told = attach(faulty, DEFINITION).tell(() => request(() => ++ran));
    await approve(gate, (await cards(gate, 1))[0]);
    expect(JSON.stringify(await told)).toContain("TOOL_OUTCOME_UNKNOWN");
    expect(ran).toBe(1);
  });

  it("tells a tool that throws as failed, once", async () => {
    const gate = openGate();
    const fails = () => {
      throw new Error("no such mailbox");
    };
    const told = attach(gate, DEFINITION).tell(() => request(fails));
    await approve(gate, (await cards(gate, 1))[0]);
    const said = await told;
    expect(isTold(said) && said.countersign).toMatchObject({ code: "TOOL_FAILED", retry: false });
    expect(JSON.stringify(said)).toContain("no such mailbox");
  });

  it("attack B13: a call whose caller cannot be found is refused", async () => {
    const gate = openGate();
    let ran = 0;
    const look = tool({ inputSchema: z.object({}), execute: () => ++ran });
    const tools = gated(gate, { look }, { declare: { look: { effect: "read" } }, caller: () => undefined });
    const told = await tools.look.execute?.({}, { toolCallId: "1", messages: [] });
    expect(JSON.stringify(told)).toContain("Nobody is known to make this call");
    expect(ran).toBe(0);
  });

  it("refuses to wrap a tool that runs where no gate stands", () => {
    const remote = tool({ inputSchema: z.object({}), outputSchema: z.string() });
    expect(() => gated(openGate(), { remote })).toThrow("has no execute");
  });
});
