import { describe, expect, it } from "vitest";
import { z } from "zod";
import { appOf, defineTool, type ToolDefinition } from "./tool.js";

const refusalOf = (definition: Record<string, unknown>): string => {
  try {
    defineTool({ name: "x.y", ...definition } as ToolDefinition);
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_tool" });
    return (error as Error).message;
  }
  return "";
};

describe("defineTool", () => {
  it.each([
    ["a tag without the flag (flaw F-B5)", { tags: ["destructive"] }, "`destructive: true`"],
    ["a destructive read", { destructive: true, effect: "read" }, "destructive and a read"],
    ["a destructive tool that does not ask", { destructive: true, confirm: false }, "`confirm: false`"],
    ["R0 for a write", { riskTier: "R0" }, 'effect: "read"'],
    ["an unknown tier", { riskTier: "R5" }, "R0 to R4"],
    ["an unknown effect", { effect: "delete" }, '"read" or "write"'],
    ["a schema that is none", { inputSchema: {} }, "Standard Schema"],
    ["a schema that is a plain shape", { inputSchema: { type: "object" } }, "Standard Schema"],
    ["no time to live", { ttl: 0 }, "ttl"],
    ["an endless time-out", { timeout: Number.POSITIVE_INFINITY }, "timeout"],
    ["a time that is text", { offlineTtl: "5m" }, "offlineTtl"],
    ["a threshold above one", { confidenceThreshold: 85 }, "0 to 1"],
    ["a threshold that is no number", { confidenceThreshold: Number.NaN }, "0 to 1"],
    ["an execute that is no function", { execute: "rm" }, "execute"],
    ["a preview that is no function", { preview: {} }, "preview"],
    ["a status that is no function", { status: true }, "status"],
    ["tags that are no list", { tags: "destructive" }, "tags"],
    ["sensitive paths that are no list", { sensitive: "password" }, "sensitive"],
    ["a sensitive path that is no text", { sensitive: ["password", /pin/] }, "sensitive"],
  ])("refuses %s and says so", (_what, definition, words) => {
    expect(refusalOf(definition)).toContain(words);
  });

  it.each(["", "a b", "täsk", "x".repeat(129), "a\n", 5, undefined, "pay\u200b"])("refuses the name %j", (name) => {
    expect(refusalOf({ name })).toContain("printable ASCII");
  });

  it("takes whatever declares nothing for a write of unknown reach", () => {
    expect(defineTool({ name: "x.y" })).toMatchObject({
      effect: "write",
      destructive: false,
      version: "1",
      app: "x",
      tags: [],
      idempotent: false,
    });
  });

  it("cannot be changed afterwards", () => {
    const tool = defineTool({ name: "x.y", destructive: true }) as { destructive: boolean };
    expect(() => {
      tool.destructive = false;
    }).toThrow(TypeError);
  });

  it("has a fingerprint that changes with schema and behaviour, and only then", () => {
    const make = (over: Partial<ToolDefinition> = {}) =>
      defineTool({ name: "x.y", inputSchema: z.object({ id: z.string() }) as never, ...over }).fingerprint;
    expect(make()).toBe(make());
    expect(make({ execute: () => 1 })).toBe(make());
    const others = [
      make({ inputSchema: z.object({ id: z.number() }) as never }),
      make({ version: "2" }),
      make({ destructive: true }),
      make({ confirm: true }),
      make({ confirm: () => true }),
    ];
    expect(new Set([make(), ...others]).size).toBe(others.length + 1);
  });
});

describe("appOf", () => {
  it.each([
    ["mail.send", "mail"],
    ["drive.files.get", "drive"],
    ["mcp__fs__write_file", "fs"],
    ["deleteFile", "deleteFile"],
    [".hidden", ".hidden"],
  ])("of %s is %s", (name, app) => {
    expect(appOf(name)).toBe(app);
  });
});
