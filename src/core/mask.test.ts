import { describe, expect, it } from "vitest";
import { ANN, CALLER, held, openGate, textsIn } from "../../test/support/held.js";
import { memoryStore } from "../stores/memory.js";
import type { Card } from "./card/card.js";
import { isSensitive, keyedMask, maskArgs, restoreMasked } from "./mask.js";
import { defineTool } from "./tool.js";

const mask = keyedMask(new Uint8Array(32).fill(7));
const SECRET = "correct horse battery";
const PATTERNS = ["password", "card.number", "items.*.secret"];
const ARGS = {
  user: "bob",
  password: SECRET,
  card: { number: 4_111_111_111, owner: "bob" },
  items: [{ secret: { deep: "staple gun" }, name: "a" }],
};

describe("masks", () => {
  it("cover the places that patterns name, an index left out or not", () => {
    const covered = (path: readonly (string | number)[]) => isSensitive(PATTERNS, path);
    expect([["password"], ["card", "number"], ["items", 0, "secret"]].map(covered)).toEqual([true, true, true]);
    expect([[], ["card"], ["items", 0], ["items", 0, "name"], ["x", "password"]].map(covered)).toEqual(
      Array(5).fill(false),
    );
    expect(isSensitive(["items.secret"], ["items", 3, "secret"])).toBe(true);
  });

  it("attack A10: cover keys that hold dots themselves, and uncover none for it", () => {
    expect(isSensitive(["card.number"], ["card.number"])).toBe(true);
    expect(isSensitive(["a.card.number"], ["a", 0, "card.number"])).toBe(true);
    expect(isSensitive(["*"], ["card.number"])).toBe(true);
    expect(isSensitive(["card.number"], ["card.owner"])).toBe(false);
    expect(maskArgs({ "db.password": SECRET }, ["db.password"], mask)).not.toMatchObject({ "db.password": SECRET });
  });

  it("attack A10: show the length and a keyed fingerprint, of values of any type", () => {
    expect(maskArgs(ARGS, PATTERNS, mask)).toEqual({
      user: "bob",
      password: expect.stringMatching(/^⟨hidden: 21 characters, [0-9a-f]{4}( [0-9a-f]{4}){3}⟩$/),
      card: { number: expect.stringMatching(/^⟨hidden: 10 bytes, /), owner: "bob" },
      items: [{ secret: expect.stringMatching(/^⟨hidden: 21 bytes, /), name: "a" }],
    });
  });

  it("attack A10: never show two values alike, and no value alike under two keys", () => {
    const values = Array.from({ length: 5_000 }, (_, index) => String(index).padStart(6, "0"));
    expect(new Set(values.map(mask)).size).toBe(values.length);
    expect(mask("000000")).not.toBe(keyedMask(new Uint8Array(32).fill(8))("000000"));
    expect(mask("1")).not.toBe(mask(1));
    expect(() => keyedMask(new Uint8Array(16))).toThrow("32 bytes");
  });

  it("are put back as the values they stood for, and refused anywhere else", () => {
    const edited = { ...maskArgs(ARGS, PATTERNS, mask), user: "eve" };
    expect(restoreMasked(edited, ARGS, PATTERNS, mask)).toEqual({ ...ARGS, user: "eve" });
    expect(restoreMasked({ ...edited, password: "new one" }, ARGS, PATTERNS, mask)).toMatchObject({
      password: "new one",
    });
    expect(() => restoreMasked({ ...edited, password: mask("other") }, ARGS, PATTERNS, mask)).toThrow("is a mask");
  });
});

const TOOL = {
  name: "vault.send",
  sensitive: PATTERNS,
  confirmPrompt: "Send {password}?",
  preview: () => ({
    effects: [{ kind: "send", noun: "secret", count: 1, sample: [SECRET], after: { of: `x ${SECRET}` } }],
  }),
};

describe("a card with sensitive arguments", () => {
  it("attack A10: holds none of them in clear, wherever they were quoted", async () => {
    const { card, gate, approvalId } = await held(TOOL, ARGS, {
      call: {
        summary: `uses ${SECRET} and 4111111111`,
        alternatives: [{ tool: "vault.send", args: ARGS }],
      },
      gate: {
        analysers: [
          async () => [
            {
              source: "analyser",
              code: "x",
              riskTier: "R3",
              text: 'Holds "horse battery".',
              fragment: "horse battery",
            },
          ],
        ],
      },
    });
    const drafted = await gate.draft(approvalId, { ...ARGS, password: "quite another one" }, ANN);
    for (const shown of [await card("en"), await card("zh"), drafted as Card]) {
      const texts = textsIn(shown).join("\n");
      for (const secret of [SECRET, "horse", "4111111111", "staple", "quite another"])
        expect(texts).not.toContain(secret);
    }
    expect((await card()).toolCallCanonical).toMatch(/"password":"⟨hidden: 21 characters, [0-9a-f ]+⟩"/);
    expect(drafted?.diff).toEqual([
      {
        type: "replace",
        label: "password",
        before: expect.stringContaining("⟨hidden: 21"),
        after: expect.stringContaining("⟨hidden: 17"),
      },
    ]);
  });

  it("attack A10: does not let a chosen secret blot out what is shown elsewhere", async () => {
    const card = await (
      await held(
        { name: "shell.run", sensitive: ["password"] },
        { command: "rm -rf /data", password: "rm -rf /data" },
        { call: { summary: "runs rm -rf /data" } },
      )
    ).card();
    expect(card.arguments[0]?.value).toMatchObject({ label: "command", text: "rm -rf /data" });
    expect(card.agentSays).toBe("runs rm -rf /data");
  });

  it("cannot be imitated: a value that looks like a mask is escaped", async () => {
    const [argument] = (await (await held({}, { note: mask("x") })).card()).arguments;
    expect(argument?.value).toMatchObject({ kind: "string", text: expect.stringMatching(/^\\u\{27e8\}hidden/) });
  });

  it("has a hash that does not depend on the key, so that it outlives a restart", async () => {
    const store = memoryStore();
    const tools = [defineTool({ ...TOOL, execute: () => 1 })];
    const before = openGate({ store, tools });
    const outcome = await before.submit({ tool: TOOL.name, args: ARGS }, CALLER);
    const after = openGate({ store, tools });
    const [one, two] = [
      await before.card(outcome.approvalId ?? "", ANN),
      await after.card(outcome.approvalId ?? "", ANN),
    ];
    expect(one?.humanSummary).not.toBe(two?.humanSummary);
    expect(one?.cardHash).toBe(two?.cardHash);
  });

  it("keeps them hidden where the tool is no longer known", async () => {
    const store = memoryStore();
    const before = openGate({ store, tools: [defineTool({ ...TOOL, execute: () => 1 })] });
    const { approvalId = "" } = await before.submit({ tool: TOOL.name, args: ARGS }, CALLER);
    const card = await openGate({ store }).card(approvalId, ANN);
    expect(textsIn(card).join("\n")).not.toContain(SECRET);
    expect(card?.humanSummary).toBe("Run vault.send?");
  });

  it("tells the agent that a secret was changed, not to what", async () => {
    const { gate, approvalId, card } = await held({ ...TOOL, preview: undefined } as never, ARGS);
    const args = { ...ARGS, user: "eve", password: "quite another one" };
    await gate.decide({ approvalId, decision: "approve", toolCallHash: (await card()).toolCallHash, args }, ANN);
    const outcome = await gate.resume(approvalId, CALLER, { deadline: 5_000 });
    expect(outcome.message).toMatch(/password: ⟨hidden: 21 [^⟩]+⟩ → ⟨hidden: 17 [^⟩]+⟩; user: bob → eve\./);
    expect(JSON.stringify(outcome)).not.toMatch(/another|horse/);
  });

  it("runs with the real value after an edit that left the mask standing", async () => {
    const ran: unknown[] = [];
    const { gate, approvalId, card } = await held(
      { sensitive: ["password"], execute: (args: unknown) => ran.push(args) },
      ARGS,
    );
    const { toolCallHash, toolCallCanonical } = await card();
    const { args } = JSON.parse(toolCallCanonical) as { args: object };
    await gate.decide({ approvalId, decision: "approve", toolCallHash, args: { ...args, user: "eve" } }, ANN);
    await gate.resume(approvalId, CALLER, { deadline: 5_000 });
    expect(ran).toEqual([{ ...ARGS, user: "eve" }]);
  });
});

describe("revealing a value", () => {
  it("shows it to a person of the audience and writes down that it did, without the value", async () => {
    const { gate, approvalId } = await held(TOOL, ARGS);
    expect(await gate.reveal(approvalId, "password", ANN)).toMatchObject({ kind: "string", text: SECRET });
    expect(await gate.reveal(approvalId, "items[0].secret", ANN)).toMatchObject({ kind: "object" });
    const entries = await gate.store.entries("home", 0, 100);
    const revealed = entries.filter(({ type }) => type === "value.revealed");
    expect(revealed.map(({ content }) => JSON.parse(content ?? "{}"))).toMatchObject([
      { to: "ann", label: "password" },
      { to: "ann", label: "items[0].secret" },
    ]);
    expect(JSON.stringify(entries.map(({ content }) => content))).not.toContain(SECRET);
    expect(await gate.verify("home")).toMatchObject({ ok: true });
  });

  it("invariant I11: refuses strangers, and places where nothing is hidden", async () => {
    const { gate, approvalId } = await held(TOOL, ARGS);
    const eve = { ...ANN, userId: "eve" };
    await expect(gate.reveal(approvalId, "password", eve)).rejects.toMatchObject({ code: "user_mismatch" });
    await expect(gate.reveal(approvalId, "password", { ...ANN, workspaceId: "x" })).rejects.toMatchObject({
      code: "family_mismatch",
    });
    await expect(gate.reveal(approvalId, "user", ANN)).rejects.toMatchObject({ code: "not_found" });
    expect((await gate.store.entries("home", 0, 100)).map(({ type }) => type)).not.toContain("value.revealed");
  });
});
