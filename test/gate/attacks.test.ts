import { createHash, timingSafeEqual } from "node:crypto";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { contentHash, genesis, linkHash } from "../../src/core/audit.js";
import { hashToken, newConfirmationToken, sameSecret } from "../../src/core/token.js";
import { defineTool } from "../../src/index.js";
import { ANN, codeOf, expectPending, onEachStore } from "./support.js";

onEachStore("attacks on what runs and what proves it", (world) => {
  it("attack A9: defaults and conversions of the schema are shown and hashed, and are what runs", async () => {
    const ran = vi.fn<(args: unknown) => string>(() => "paid");
    const pay = defineTool({
      name: "bank.pay",
      inputSchema: z.object({ amount: z.coerce.number(), currency: z.string().default("EUR") }),
      execute: ran,
    });
    const gate = world.gate({ tools: [pay] });
    const asked = expectPending(await gate.submit({ tool: "bank.pay", args: { amount: "100" } }));
    const shown = JSON.parse(asked.card.toolCallCanonical) as { args: unknown };
    expect(shown.args).toEqual({ amount: 100, currency: "EUR" });
    expect(createHash("sha256").update(asked.card.toolCallCanonical).digest("hex")).toBe(asked.card.toolCallHash);
    await gate.decide(
      { approvalId: asked.approvalId, toolCallHash: asked.card.toolCallHash, decision: "approve" },
      ANN,
    );
    await gate.resume(asked.approvalId);
    expect(ran.mock.calls.map(([args]) => args)).toEqual([{ amount: 100, currency: "EUR" }]);
  });

  it("attack A9: a tool cannot change the arguments it was handed, nor can whoever sent them", async () => {
    const sent = { list: ["a"] };
    const tool = defineTool<{ list: string[] }>({
      name: "list.update",
      execute: (args) => {
        args.list.push("b");
      },
    });
    const gate = world.gate({ tools: [tool] });
    const asked = expectPending(await gate.submit({ tool: "list.update", args: sent }));
    sent.list.push("after asking");
    await gate.decide({ approvalId: asked.approvalId, decision: "approve" }, ANN);
    expect(await gate.resume(asked.approvalId)).toMatchObject({
      type: "failed",
      error: expect.stringContaining("extensible"),
    });
    expect((await gate.card(asked.approvalId, ANN))?.toolCallCanonical).toContain('"list":["a"]');
  });

  it("attack G10: an answer that came first is the only one, whatever comes after it", async () => {
    const gate = world.gate({ tools: [defineTool({ name: "note.update", execute: () => 1 })] });
    for (const first of ["approve", "deny", "cancel"] as const) {
      const { approvalId } = expectPending(await gate.submit({ tool: "note.update", args: { first } }));
      if (first === "cancel") await gate.cancel({ approvalId });
      else await gate.decide({ approvalId, decision: first }, ANN);
      const outcome = await gate.resume(approvalId);
      expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, ANN))).toBe("already_resolved");
      expect(await codeOf(gate.decide({ approvalId, decision: "deny" }, ANN))).toBe("already_resolved");
      expect(await codeOf(gate.cancel({ approvalId }))).toBe("already_resolved");
      expect(await gate.resume(approvalId)).toEqual(outcome);
    }
  });
});

it("attack G6: a hash made for one purpose is never the hash of another", () => {
  const text = "countersign/call/v1";
  const hash = (value: string) => createHash("sha256").update(value).digest("hex");
  const made = [
    hash(text),
    hashToken(text),
    Buffer.from(genesis(text)).toString("hex"),
    Buffer.from(contentHash(Buffer.alloc(32), text)).toString("hex"),
    Buffer.from(linkHash(Buffer.alloc(32), { seq: 1, time: 1, type: text, ref: "" }, Buffer.alloc(32))).toString("hex"),
  ];
  expect(new Set(made).size).toBe(made.length);
});

it("attack G8: secrets of every length are compared as hashes of one length, in constant time", () => {
  const token = newConfirmationToken();
  const stored = hashToken(token);
  expect(sameSecret(token, stored)).toBe(true);
  for (let shared = 0; shared < token.length; shared++) expect(sameSecret(token.slice(0, shared), stored)).toBe(false);
  // The comparison itself refuses unequal lengths, so that it must have been given equal ones.
  expect(() => timingSafeEqual(Buffer.from("a"), Buffer.from("ab"))).toThrow(RangeError);
  for (const presented of ["", "x", "x".repeat(100_000)]) expect(sameSecret(presented, stored)).toBe(false);
});
