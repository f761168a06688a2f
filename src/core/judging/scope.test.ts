import { describe, expect, it } from "vitest";
import { driftSignals, hostMatches, isUnder, type Scope, segmentsOf } from "./scope.js";

const SCOPE: Scope = { paths: ["/desk", "/tmp/x/"], domains: ["example.com", "*.example.org"] };
const outside = (target: string, scope: Scope | undefined = SCOPE) =>
  driftSignals([target], scope).map(({ text }) => /touch (.*), outside/.exec(text)?.[1]);

describe("drift", () => {
  it.each([
    "/desk",
    "/desk/",
    "/desk/a/b",
    "/tmp/x/a",
    "https://example.com/x",
    "https://EXAMPLE.com/",
    "wss://a.b.example.org/",
    "task 7",
    "",
  ])("attack C5: does not speak of %j, which is inside or no place at all", (target) => {
    expect(outside(target)).toEqual([]);
  });

  it.each([
    ["/workshop", "a path"],
    ["/", "a path"],
    ["/tmp", "a path"],
    ["work/a", "a path"],
    ["work\\a", "a path"],
    ["/desk/../etc", "a path"],
    ["/desk/./a", "a path"],
    ["/desk//a", "a path"],
    ["/desk/a\n", "a path"],
    ["https://evil.test/", "the host evil.test"],
    ["https://example.org/", "the host example.org"],
    ["HTTPS://evil.test/", "the host evil.test"],
    ["mailto:ann@evil.test", "the host of this address"],
    ["https://", "the host of this address"],
    ["C:/desk", "the host of this address"],
  ])("attack C5: speaks of %j as %s", (target, what) => {
    expect(outside(target)).toEqual([what]);
  });

  it("names what would be touched, shortened", () => {
    const target = `/etc/${"a".repeat(500)}`;
    expect(driftSignals(["/desk/a", target], SCOPE)).toEqual([
      {
        source: "scope",
        code: "target_outside",
        riskTier: "R3",
        text: "The call would touch a path, outside of what this session works on.",
        fragment: target.slice(0, 400),
      },
    ]);
  });

  it("limits only the kinds that the scope speaks of", () => {
    expect(outside("/etc/passwd", { domains: [] })).toEqual([]);
    expect(outside("https://evil.test/", { paths: [] })).toEqual([]);
    expect(driftSignals(["/etc/passwd", "https://evil.test/"], undefined)).toEqual([]);
    expect(outside("/desk", { paths: [] })).toEqual(["a path"]);
    expect(outside("https://example.com/", { domains: [] })).toEqual(["the host example.com"]);
  });

  it("takes a target without a name for outside, and a colon later in a path for a part of it", () => {
    expect(outside(5 as never)).toEqual(["something that has no name"]);
    expect(outside("/desk/a:b")).toEqual([]);
  });

  it("takes a root that is no plain path for nowhere", () => {
    expect(outside("/desk/a", { paths: ["work"] })).toEqual(["a path"]);
  });
});

describe("names below a folder", () => {
  it.each([
    ["/", []],
    ["/a/b", ["a", "b"]],
    ["/a/b/", ["a", "b"]],
    ["/a.b/..c", ["a.b", "..c"]],
  ])("of %j are %j", (path, names) => {
    expect(segmentsOf(path)).toEqual(names);
  });

  it.each(["", "a", "a/b", "//", "/a//b", "/a/.", "/./a", "/a/..", "/a\\b", "/a\tb", "/a\u0085", 5])(
    "of %j cannot be told",
    (path) => {
      expect(segmentsOf(path as string)).toBeUndefined();
    },
  );

  it("are under a folder when they begin with all of its names", () => {
    expect(isUnder(["a", "b"], ["a"])).toBe(true);
    expect(isUnder(["a"], ["a"])).toBe(true);
    expect(isUnder(["a"], [])).toBe(true);
    expect(isUnder(["a"], ["a", "b"])).toBe(false);
    expect(isUnder(["b", "a"], ["a"])).toBe(false);
  });
});

describe("a host", () => {
  it.each([
    ["example.com", "example.com", true],
    ["a.example.com", "*.example.com", true],
    ["example.com", "*.example.com", false],
    [".example.com", "*.example.com", false],
    ["aexample.com", "*.example.com", false],
    ["a.example.com", "example.com", false],
    ["", "example.com", false],
    ["", "", false],
    ["example.com.evil.test", "*.example.com", false],
  ])("attack C5: %j against %j: %s", (host, pattern, expected) => {
    expect(hostMatches(host, pattern)).toBe(expected);
  });
});
