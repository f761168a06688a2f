import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindCall, type Caller, checkCall, checkCaller, contextOf, type ToolCall } from "./call.js";
import { sha256Hex } from "./ids.js";
import { canonicalize, type Json, type JsonObject, jsonEqual, MAX_JSON_BYTES, toPlainJson } from "./json.js";
import { defineTool } from "./tool.js";

const tool = defineTool({ name: "mail.send" });
const caller: Caller = { userId: "u", workspaceId: "w", sessionId: "s", agentId: "a" };
const hashOf = (args: JsonObject, who = caller, context: Json = null, which = tool) =>
  bindCall(which, args, who, context).hash;

/** JSON that survives the canonical form: no lone surrogates, no unsafe numbers. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.string({ unit: "grapheme" }).filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value as fc.Arbitrary<Json>;
const args = fc.dictionary(
  fc.string({ unit: "grapheme" }).filter((key) => key !== "__proto__"),
  json,
  { maxKeys: 5 },
) as fc.Arbitrary<JsonObject>;

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe("the binding", () => {
  it("is the canonical text of everything it is bound to, whatever people and agents are called", () => {
    fc.assert(
      fc.property(
        args,
        fc.option(json, { nil: undefined }),
        fc.string({ unit: "grapheme" }),
        (given, context, name) => {
          const who = { ...caller, userId: name, agentId: `${name}"\n` };
          const bound = { binding: "countersign/call/v1", tool: tool.name, fingerprint: tool.fingerprint, args: given };
          const people = { workspace: "w", requester: who.userId, agent: who.agentId, session: "s" };
          const whole = { ...bound, ...people, ...(context === undefined ? {} : { context }) };
          expect(bindCall(tool, given, who, context).canonical).toBe(canonicalize(whole));
        },
      ),
    );
  });

  it("is refused where the whole is too large or too deep, although the arguments are not", () => {
    const deep = (levels: number): JsonObject => (levels === 1 ? {} : { a: deep(levels - 1) });
    expect(() => bindCall(tool, deep(63), caller)).not.toThrow();
    expect(() => bindCall(tool, deep(64), caller)).toThrow(/64 levels/);
    expect(() => bindCall(tool, { a: "a".repeat(MAX_JSON_BYTES - 50) }, caller)).toThrow(/larger than/);
  });

  it("is refused where more texts are to be hidden than can be kept out of words (attack G3)", () => {
    const hiding = defineTool({ name: "users.import", sensitive: ["users.*.password", "note"] });
    const users = (count: number): JsonObject => ({
      users: Array.from({ length: count }, (_, index) => ({ name: `n${index}`, password: `secret-${index}` })),
    });
    expect(() => bindCall(hiding, users(2_000), caller)).not.toThrow();
    expect(() => bindCall(hiding, users(2_001), caller)).toThrow(/More than 2000 texts/);
    // What is quoted in one secret is a secret too; what is too short to be looked for is none.
    const quoted = (piece: string): JsonObject => ({
      note: Array.from({ length: 2_001 }, (_, i) => `${piece}${i}"`).join(""),
    });
    expect(() => bindCall(hiding, quoted("part"), caller)).toThrow(/More than 2000 texts/);
    expect(() => bindCall(hiding, { note: 'ab"'.repeat(2_001) }, caller)).not.toThrow();
    expect(() => bindCall(tool, users(3_000), caller)).not.toThrow();
  });

  it("is the SHA-256 of its canonical text, which holds exactly the arguments", () => {
    const bound = bindCall(tool, { to: "b@x" }, caller, { cwd: "/" });
    expect(bound.hash).toBe(sha256Hex(bound.canonical));
    expect(JSON.parse(bound.canonical)).toEqual({
      binding: "countersign/call/v1",
      tool: "mail.send",
      fingerprint: tool.fingerprint,
      args: { to: "b@x" },
      workspace: "w",
      requester: "u",
      agent: "a",
      session: "s",
      context: { cwd: "/" },
    });
  });

  it("flaw F-D3: the order of keys does not change the hash", () => {
    fc.assert(
      fc.property(args, json, (sent, context) => {
        expect(hashOf(reversed(sent) as JsonObject, caller, reversed(context))).toBe(hashOf(sent, caller, context));
      }),
    );
  });

  it("invariant I3: any change of the arguments or the context changes the hash, and nothing else does", () => {
    fc.assert(
      fc.property(args, args, (one, other) => {
        expect(hashOf(one) === hashOf(other)).toBe(jsonEqual(one, other));
        expect(hashOf({}, caller, one) === hashOf({}, caller, other)).toBe(jsonEqual(one, other));
      }),
    );
    fc.assert(
      fc.property(args, fc.string({ unit: "grapheme" }), json, json, (sent, key, before, after) => {
        fc.pre(key !== "__proto__" && !jsonEqual(before, after));
        const holding = (value: Json) => ({ ...sent, [key]: { deep: [value] } });
        expect(hashOf(holding(before))).not.toBe(hashOf(holding(after)));
      }),
    );
  });

  it.each(["userId", "workspaceId", "sessionId", "agentId"] as const)(
    "invariant I3: another %s is another call",
    (key) => {
      fc.assert(
        fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (value) => {
          fc.pre(value !== caller[key]);
          expect(hashOf({}, { ...caller, [key]: value })).not.toBe(hashOf({}));
        }),
      );
    },
  );

  it("no field bleeds into the next", () => {
    expect(hashOf({}, { ...caller, userId: "ua", agentId: "" })).not.toBe(
      hashOf({}, { ...caller, userId: "u", agentId: "a" }),
    );
  });

  it.each([
    ["name", { name: "mail.sent" }],
    ["version", { version: "2" }],
    ["title", { title: "Send" }],
    ["description", { description: "Sends." }],
    ["effect", { effect: "read" as const }],
    ["destructive", { destructive: true }],
    ["tier", { riskTier: "R3" as const }],
    ["confirm", { confirm: true }],
    ["prompt", { confirmPrompt: "Send?" }],
    ["tags", { tags: ["external"] }],
    ["idempotence", { idempotent: true }],
    ["masking", { sensitive: ["body"] }],
    ["preview", { preview: () => ({ effects: [] }) }],
  ])("invariant I3: a tool with another %s is another tool", (_what, over) => {
    expect(hashOf({}, caller, null, defineTool({ name: "mail.send", ...over }))).not.toBe(hashOf({}));
  });
});

describe("checking", () => {
  it("accepts a full call, with a context only where one was stated", () => {
    const call: ToolCall = { tool: "x", args: {}, confidence: 0, idempotencyKey: "k", alternatives: [{ tool: "y" }] };
    expect(() => checkCall(call)).not.toThrow();
    expect(contextOf(call)).toBeUndefined();
    expect(contextOf({ ...call, context: { a: [1] } })).toEqual(toPlainJson({ a: [1] }));
  });

  it.each([
    [{ tool: 5 }, "tool"],
    [{ tool: "x", confidence: -0.1 }, "confidence"],
    [{ tool: "x", confidence: Number.NaN }, "confidence"],
    [{ tool: "x", confidence: "0.9" }, "confidence"],
    [{ tool: "x", runId: 5 }, "runId"],
    [{ tool: "x", supersedes: "" }, "supersedes"],
    [{ tool: "x", idempotencyKey: "k".repeat(256) }, "idempotencyKey"],
    [{ tool: "x", alternatives: {} }, "alternatives"],
    [{ tool: "x", alternatives: [null] }, "alternatives"],
  ])("names what is wrong with %j", (call, path) => {
    expect(() => checkCall(call as never)).toThrow(
      expect.objectContaining({ code: "invalid_call", details: { path } }),
    );
  });

  it("seed E24: refuses a caller without its context", () => {
    for (const key of ["userId", "workspaceId", "sessionId", "agentId"]) {
      for (const value of ["", undefined, 5, null]) {
        expect(() => checkCaller({ ...caller, [key]: value } as never)).toThrow(
          expect.objectContaining({ code: "invalid_call", details: { path: key } }),
        );
      }
    }
    expect(() => checkCaller(undefined as never)).toThrow(expect.objectContaining({ code: "invalid_call" }));
  });
});
