import { expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/index.js";
import { ANN, ask, BOB, CALLER, codeOf, counted, DAN, entryTypes, expectPending, onEachStore } from "./support.js";

onEachStore("the flow", (world) => {
  it("seed A3: a destructive tool asks whatever the confidence, and runs once after a yes", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const asked = expectPending(await gate.submit({ tool: "tasks.delete", args: { id: "7" }, confidence: 1 }));
    expect(tool.runs).toEqual([]);
    const decided = await gate.decide({ approvalId: asked.approvalId, decision: "approve" }, ANN);
    expect(decided.resolution).toMatchObject({ type: "approved", by: "ann" });
    const done = await gate.resume(asked.approvalId);
    expect(done).toMatchObject({ type: "succeeded", result: { deleted: "7" }, message: "Ran once." });
    expect(tool.runs).toEqual([{ id: "7" }]);
    expect(await entryTypes(gate)).toEqual(["approval.created", "approval.resolved", "call.claimed", "call.executed"]);
    expect(await gate.verify()).toMatchObject({ ok: true, seq: 4 });
  });

  it("seed A1, A2, A5: a write asks below 0.85 and when nothing was stated, and runs at exactly 0.85", async () => {
    const tool = counted({ effect: "write" });
    const gate = world.gate({ tools: [tool] });
    const call = { tool: "tasks.update", args: { id: "7" } };
    const named = counted({ name: "tasks.update", effect: "write" });
    gate.registry.add(named);
    expect((await gate.submit({ ...call, confidence: 0.8499 })).type).toBe("pending");
    expect((await gate.submit({ ...call, args: { id: "8" } })).type).toBe("pending");
    expect(named.runs).toEqual([]);
    expect((await gate.submit({ ...call, confidence: 0.85 })).type).toBe("succeeded");
    expect(named.runs).toEqual([{ id: "7" }]);
  });

  it("seed A31: a tool's own threshold replaces the default one", async () => {
    const tool = counted({ name: "tasks.update", effect: "write", confidenceThreshold: 0.5 });
    const gate = world.gate({ tools: [tool] });
    expect((await gate.submit({ tool: "tasks.update", args: { id: "7" }, confidence: 0.5 })).type).toBe("succeeded");
    expect((await gate.submit({ tool: "tasks.update", args: { id: "7" }, confidence: 0.49 })).type).toBe("pending");
  });

  it("flaw F-A8: confidence never spares a question that the risk demands", async () => {
    const wire = counted({ name: "bank.transfer", effect: "write", riskTier: "R3" });
    const gate = world.gate({ tools: [wire] });
    expect((await gate.submit({ tool: "bank.transfer", args: { id: "7" }, confidence: 1 })).type).toBe("pending");
    expect(wire.runs).toEqual([]);
  });

  it("seed A4: a read never asks, whatever its confidence, and is recorded within a second", async () => {
    const list = counted({ name: "tasks.list", effect: "read" });
    const gate = world.gate({ tools: [list] });
    const read = await gate.submit({ tool: "tasks.list", args: { id: "7" }, confidence: 0.01 });
    expect(read).toMatchObject({ type: "succeeded", result: { deleted: "7" } });
    expect(await gate.verify()).toMatchObject({ ok: true, seq: 1 });
    expect(await entryTypes(gate)).toEqual(["call.read"]);
  });

  it("flaw F-4: an unknown tool is refused, under names that every object has too", async () => {
    const gate = world.gate({ tools: [counted()] });
    for (const tool of ["tasks.destroy", "constructor", "__proto__", "toString"]) {
      expect(await gate.submit({ tool, args: {} })).toMatchObject({ type: "denied", code: "TOOL_DENIED" });
    }
    expect(await entryTypes(gate)).toEqual(Array.from({ length: 4 }, () => "call.denied"));
  });

  it("design 2: an allowed write is recorded twice, at its claim and at its end", async () => {
    const tool = counted({ name: "tasks.update", riskTier: "R1" });
    const gate = world.gate({ tools: [tool] });
    expect((await gate.run({ tool: "tasks.update", args: { id: "7" } })).type).toBe("succeeded");
    expect(await entryTypes(gate)).toEqual(["call.allowed", "call.executed"]);
  });

  it("flaw F-A6: unknown and wrong arguments are refused by name before anybody is asked", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    await expect(gate.submit({ tool: "tasks.delete", args: { id: "7", assignee: "bob" } })).rejects.toMatchObject({
      code: "invalid_args",
      details: { path: "args.assignee" },
    });
    await expect(gate.submit({ tool: "tasks.delete", args: { id: 7 } })).rejects.toMatchObject({
      code: "invalid_args",
      details: { path: "args.id" },
    });
    expect(await gate.pending(ANN)).toEqual([]);
    expect(await entryTypes(gate)).toEqual([]);
  });

  it("seed D15, D26: a denial says why, and its reason reaches the agent", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const waiting = gate.run({ tool: "tasks.delete", args: { id: "7" } });
    const approvalId = await ask(gate);
    await gate.decide({ approvalId, decision: "deny", reason: "still needed" }, ANN);
    expect(await waiting).toMatchObject({ type: "denied", code: "TOOL_DENIED", reason: "still needed", by: "ann" });
    expect(tool.runs).toEqual([]);
  });

  it("seed B11, flaw F-B2: a preview's warning asks before anything runs, also where the tool need not ask", async () => {
    for (const warning of [
      { code: "REQUIRES_CONFIRMATION", message: "It has subtasks.", severity: "warning" as const },
      { code: "MANY", message: "Touches 400 tasks.", severity: "caution" as const },
    ]) {
      const tool = counted({
        name: "tasks.update",
        riskTier: "R1",
        confirm: false,
        preview: () => ({ effects: [], warnings: [warning] }),
      });
      const gate = world.gate({ tools: [tool] });
      const asked = expectPending(await gate.submit({ tool: "tasks.update", args: { id: "7" }, confidence: 1 }));
      expect(asked.card.reasons).toContainEqual(expect.objectContaining({ source: "preview", text: warning.message }));
      expect(tool.runs).toEqual([]);
    }
  });

  it("invariant I11: a preview is told for whom it looks, when it is asked and again at the claim", async () => {
    const seen: unknown[] = [];
    const tool = counted({
      preview: (_args, context) => {
        seen.push(context);
        return { effects: [], digest: "same" };
      },
    });
    const gate = world.gate({ tools: [tool] });
    const { approvalId } = expectPending(await gate.submit({ tool: "tasks.delete", args: { id: "7" } }));
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    const { userId, workspaceId, sessionId, agentId } = CALLER;
    expect(seen).toEqual([
      { userId, workspaceId, sessionId, agentId },
      { userId, workspaceId, sessionId, agentId },
    ]);
  });

  it("seed B12: a preview without a warning leaves a harmless write alone", async () => {
    const tool = counted({
      name: "tasks.update",
      riskTier: "R1",
      preview: () => ({ effects: [], warnings: [{ code: "NOTE", message: "Fine.", severity: "info" }] }),
    });
    const gate = world.gate({ tools: [tool] });
    expect((await gate.submit({ tool: "tasks.update", args: { id: "7" } })).type).toBe("succeeded");
  });

  it("invariant I8: a preview, analyser or source that fails, or answers nonsense, makes the gate ask", async () => {
    const broken = () => {
      throw new Error("broken");
    };
    const tool = (extra = {}) => counted({ name: "tasks.update", riskTier: "R1", confirm: false, ...extra });
    const gates = [
      world.gate({ tools: [tool({ preview: broken })] }),
      world.gate({ tools: [tool({ preview: () => null })] }),
      world.gate({ tools: [tool({ preview: () => ({ effects: [], warnings: "caution" }) })] }),
      world.gate({ tools: [tool({ preview: () => ({ effects: [], digest: 1n }) })] }),
      world.gate({ tools: [tool({ preview: () => ({ effects: [{}] }) })] }),
      world.gate({ tools: [tool({ preview: () => ({ effects: [{ kind: "delete", noun: "task", count: "all" }] }) })] }),
      world.gate({ tools: [tool({ confirm: broken })] }),
      world.gate({ tools: [tool()], analysers: [broken] }),
      world.gate({ tools: [tool()], analysers: [async () => null as never] }),
      world.gate({ tools: [tool()], analysers: [async () => [{ riskTier: "high" } as never]] }),
      world.gate({ tools: [tool()], sources: [broken] }),
      world.gate({ tools: [tool()], sources: [async () => "allow" as never] }),
      world.gate({ tools: [tool()], sources: [async () => [null as never]] }),
      world.gate({
        tools: [tool()],
        sources: [async () => [{ type: "allow", step: "allow_rule", rules: [], counts: "many" as never }]],
      }),
      world.gate({
        tools: [tool()],
        sources: [async () => [{ type: "deny", step: "deny_rules" as never, rules: [] }]],
      }),
    ];
    for (const gate of gates) {
      expect((await gate.submit({ tool: "tasks.update", args: { id: "7" }, confidence: 1 })).type).toBe("pending");
    }
  });

  it("seed C18: a tool's confirm may depend on the arguments, within the floor of R4", async () => {
    const tool = counted({ name: "tasks.update", riskTier: "R1", confirm: ({ id }) => id === "boss" });
    const risky = counted({ name: "tasks.purge", riskTier: "R4", confirm: () => false });
    const gate = world.gate({ tools: [tool, risky] });
    expect((await gate.submit({ tool: "tasks.update", args: { id: "7" } })).type).toBe("succeeded");
    expect((await gate.submit({ tool: "tasks.update", args: { id: "boss" } })).type).toBe("pending");
    expect((await gate.submit({ tool: "tasks.purge", args: { id: "7" } })).type).toBe("pending");
  });

  it("refuses calls and callers that are not well formed, with the place in the error", async () => {
    const gate = world.gate({ tools: [counted()] });
    const call = { tool: "tasks.delete", args: { id: "7" } };
    for (const bad of [
      { ...call, confidence: Number.NaN },
      { ...call, confidence: 2 },
      { ...call, confidence: "1" as never },
      { ...call, summary: "" },
      { ...call, idempotencyKey: "x".repeat(256) },
      { ...call, alternatives: [null as never] },
      { ...call, alternatives: [{ tool: 5 as never }] },
      { tool: "" },
      null as never,
    ]) {
      expect(await codeOf(gate.submit(bad))).toBe("invalid_call");
    }
    for (const key of ["userId", "workspaceId", "sessionId", "agentId"]) {
      expect(await codeOf(gate.submit(call, { ...CALLER, [key]: "" }))).toBe("invalid_call");
    }
    expect(await codeOf(gate.submit({ ...call, args: [1] }))).toBe("invalid_args");
    expect(await codeOf(gate.submit({ ...call, args: { id: Number.NaN } }))).toBe("invalid_json");
  });

  it("a prompt that throws or is incomplete does not keep the question from being put", async () => {
    const broken = () => {
      throw new Error("broken");
    };
    for (const [confirmPrompt, summary] of [
      [broken, "Run tasks.delete?"],
      [() => 5 as never, "Run tasks.delete?"],
      [{ en: "Delete it?" } as never, "Delete it?"],
    ] as const) {
      const gate = world.gate({ tools: [counted({ confirmPrompt })] });
      const asked = expectPending(await gate.submit({ tool: "tasks.delete", args: { id: "7" } }));
      expect(asked.card.humanSummary).toBe(summary);
      expect((await gate.card(asked.approvalId, ANN, "zh"))?.humanSummary).toBe("运行 tasks.delete？");
    }
  });

  it("shows a card made from the canonical call, with labels from the schema and the agent's words last", async () => {
    const tool = defineTool({
      name: "mail.send",
      title: "Send mail",
      inputSchema: z.object({ to: z.string().meta({ title: "Recipient" }), body: z.string().default("Hi") }),
      confirmPrompt: { en: "Send mail to {to} ({missing})?", zh: "发给 {to}？" },
      rollback: { note: "Cannot be undone." },
      preview: () => ({ effects: [{ kind: "send", noun: "mail", count: 1 }], targets: ["b@x"] }),
      execute: () => "sent",
    });
    const gate = world.gate({ tools: [tool] });
    const asked = expectPending(
      await gate.submit({
        tool: "mail.send",
        args: { to: "b@x" },
        summary: "Trust me.\nApprove!",
        runId: "r1",
        alternatives: [{ tool: "mail.draft", args: { to: "b@x" } }],
      }),
    );
    expect(asked.card).toMatchObject({
      approvalId: asked.approvalId,
      sessionId: "s1",
      runId: "r1",
      riskTier: "R3",
      app: "mail",
      humanSummary: "Send mail to b@x ({missing})?",
      arguments: [
        { key: "to", label: "Recipient", value: { text: "b@x" } },
        { key: "body", label: "body", value: { text: "Hi" } },
      ],
      effects: [{ kind: "send", text: "sends 1 mail", count: 1 }],
      targets: ["b@x"],
      rollbackNote: "Cannot be undone.",
      suggestedAlternatives: [{ tool: "mail.draft", args: { children: [{ key: "to", text: "b@x" }] } }],
      agentSays: "Trust me.\\nApprove!",
      quorum: 1,
    });
    expect(Date.parse(asked.card.expiresAt) - Date.parse(asked.card.requestedAt)).toBe(300_000);
    expect((await gate.card(asked.approvalId, ANN, "zh"))?.humanSummary).toBe("发给 b@x？");
    await gate.cancel({ approvalId: asked.approvalId });
  });

  it("seed D7, invariant I11: shows the change against the superseded plan of the same user only", async () => {
    const gate = world.gate({ tools: [counted()] });
    const first = await ask(gate, "7");
    const second = expectPending(await gate.submit({ tool: "tasks.delete", args: { id: "8" }, supersedes: first }));
    expect(second.card.diff).toEqual([{ type: "replace", label: "id", title: "Task", before: '"7"', after: '"8"' }]);
    const other = { ...CALLER, userId: "dan" };
    const stolen = expectPending(
      await gate.submit({ tool: "tasks.delete", args: { id: "9" }, supersedes: first }, other),
    );
    expect(stolen.card.diff).toBeUndefined();
  });

  it("invariant I9: a pending approval is visible to its audience and to nobody else", async () => {
    const gate = world.gate({ tools: [counted()] });
    const approvalId = await ask(gate);
    for (const person of [ANN, BOB]) {
      expect((await gate.pending(person)).map((card) => card.approvalId)).toEqual([approvalId]);
    }
    expect(await gate.pending(DAN)).toEqual([]);
    expect(await gate.pending({ ...BOB, workspaceId: "work" })).toEqual([]);
  });

  it("times that are no whole milliseconds are rounded: of a tool, a grant, the gate", async () => {
    const time = 60_000 / 7;
    const limits = { ttl: time, claimWindow: time, timeout: time, idempotency: time, denialCoolDown: time };
    const tool = defineTool({ name: "tasks.move", riskTier: "R3", ttl: time, timeout: time });
    const gate = world.gate({ tools: [tool, counted()], limits });
    const call = { tool: "tasks.move", args: { id: "7" }, idempotencyKey: "k" };
    const { approvalId } = expectPending(await gate.submit(call));
    const scope = { kind: "minutes", minutes: 1 / 7 } as const;
    expect(await gate.decide({ approvalId, decision: "approve", scope }, ANN)).toMatchObject({ state: "approved" });
    expect((await gate.claimOwn(approvalId)).args).toEqual({ id: "7" });
    expect(await gate.decide({ approvalId: await ask(gate), decision: "deny" }, ANN)).toMatchObject({
      state: "denied",
    });
  });

  it("a limit that is left undefined is the usual one, and one that is none is refused at once", async () => {
    const tool = counted({ riskTier: "R1", name: "tasks.update" });
    const unset = { ttl: undefined, timeout: undefined, denialBreaker: undefined, pendingPerUser: undefined };
    const gate = world.gate({ tools: [tool], limits: unset as never });
    expect((await gate.run({ tool: "tasks.update", args: { id: "7" } })).type).toBe("succeeded");
    for (const limits of [
      { ttl: Number.NaN },
      { ttl: -1 },
      { ttl: Number.POSITIVE_INFINITY },
      { ttl: "5m" },
      { tll: 5 },
    ])
      expect(() => world.gate({ limits: limits as never })).toThrow(/limit "t(tl|ll)"/);
    expect(() => world.gate({ limits: { pendingPerUser: Number.POSITIVE_INFINITY } })).not.toThrow();
  });
});
