import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkScopes, covers } from "./scopes.js";

describe("scopes", () => {
  it.each([
    [["email.send"], "email.send", true],
    [["email.send"], "email.send.now", false],
    [["email.send"], "email.sendAll", false],
    [["email.*"], "email.send", true],
    [["email.*"], "email.send.now", true],
    [["email.*"], "email", false],
    [["email.*"], "email.", false],
    [["email.*"], "emails.send", false],
    [["email.*"], "Email.send", false],
    [["a.b.*"], "a.c", false],
    [["deleteFile"], "deleteFile", true],
    [["mcp__files__*"], "mcp__files__write", true],
    [["mcp__files__*"], "mcp__files__", false],
    [["mcp__files__*"], "mcp__files2__write", false],
    [["mcp__*"], "mcp__files__write", true],
    [["mcp__*"], "mcp_files", false],
    [[], "email.send", false],
  ])("%j and %s: %j", (scopes, name, expected) => {
    expect(covers(scopes, { name })).toBe(expected);
  });

  it("cover tools of an app by the app the server registered", () => {
    expect(covers(["fs.*"], { name: "mcp__fs__write", app: "fs" })).toBe(true);
    expect(covers(["fs.*"], { name: "mcp__fs__write", app: "other" })).toBe(false);
    expect(covers(["fs.write"], { name: "mcp__fs__write", app: "fs" })).toBe(false);
  });

  it.each([
    ["*"],
    [".*"],
    ["email.*.send"],
    ["*.send"],
    ["email."],
    [".email"],
    ["email send"],
    [""],
    [7],
    ["e*"],
    ["__*"],
    ["mcp_*"],
    ["mcp___*"],
  ])("refuse %j", (scope) => {
    expect(() => checkScopes([scope])).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });

  it("cover exactly their own name, or exactly what is below their prefix", () => {
    const segment = fc.stringMatching(/^[a-z0-9_-]{1,4}$/);
    const path = fc.array(segment, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(path, path, fc.boolean(), (scope, tool, star) => {
        const written = [...scope, ...(star ? ["*"] : [])].join(".");
        const below = tool.length > scope.length && scope.every((part, i) => part === tool[i]);
        const same = tool.join(".") === scope.join(".");
        expect(checkScopes([written])).toEqual([written]);
        expect(covers([written], { name: tool.join(".") })).toBe(star ? below : same);
      }),
      { numRuns: 2_000 },
    );
  });

  it("cover more with every scope, never less", () => {
    const name = fc.stringMatching(/^[ab]{1,2}(\.[ab]{1,2}){0,2}$/);
    const scope = fc.oneof(
      name,
      name.map((text) => `${text}.*`),
    );
    fc.assert(
      fc.property(fc.array(scope), scope, name, (scopes, one, tool) => {
        if (covers(scopes, { name: tool })) expect(covers([...scopes, one], { name: tool })).toBe(true);
      }),
    );
  });
});
