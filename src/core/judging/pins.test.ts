import { describe, expect, it } from "vitest";
import type { Json } from "../json.js";
import { type Pin, pinAll, pinsHold, pinsProblem, WHOLE } from "./pins.js";

const pin = (op: Pin["op"], value: Json): Pin => ({ path: "x", op, value });
const within = (one: Pin, x: unknown) => pinsHold([one], { x } as never);

describe("a list of pins", () => {
  it("is well formed up to fifty", () => {
    expect(pinsProblem([])).toBeUndefined();
    expect(pinsProblem(Array.from({ length: 50 }, () => pin("equals", 1)))).toBeUndefined();
    expect(pinsProblem(Array.from({ length: 51 }, () => pin("equals", 1)))).toBe("Pins are a list of at most 50.");
    expect(pinsProblem({ length: 0 })).toBe("Pins are a list of at most 50.");
  });

  it.each([null, "x", 5, { path: "x", op: "equals", value: 1, or: 2 }])("has nothing in it but pins: %j", (broken) => {
    expect(pinsProblem([pin("equals", 1), broken])).toBe("A pin is { path, op, value }.");
  });

  it.each(["", WHOLE, 5, undefined])("names one argument, never all of them: %j", (path) => {
    expect(pinsProblem([{ path, op: "equals", value: 1 }])).toBe("A pin names the argument it holds, by its path.");
  });

  it("knows five ways to compare", () => {
    expect(pinsProblem([{ path: "x", op: "matches", value: "a" }])).toBe(
      "A pin's op is one of equals, prefix, host, max, oneOf.",
    );
  });

  it.each<[Pin["op"], Json]>([
    ["equals", null],
    ["equals", { a: [1] }],
    ["prefix", "/a"],
    ["host", "example.com"],
    ["host", "*.example.com"],
    ["host", "a.b.example.com"],
    ["max", 0],
    ["max", 2.5],
    ["oneOf", ["a"]],
  ])("accepts %s %j", (op, value) => {
    expect(pinsProblem([pin(op, value)])).toBeUndefined();
  });

  it.each<[Pin["op"], unknown]>([
    ["equals", undefined],
    ["equals", Number.NaN],
    ["prefix", 5],
    ["prefix", "a/b"],
    ["prefix", "/a/../b"],
    ["host", 5],
    ["host", ["example.com"]],
    ["host", "com"],
    ["host", "*"],
    ["host", "*.*"],
    ["host", "a*.example.com"],
    ["host", "example.com/x"],
    ["host", "x@example.com"],
    ["host", "example.com:80"],
    ["host", "example.com evil.org"],
    ["host", "evil.org example.com"],
    ["host", " example.com"],
    ["max", "9"],
    ["max", -1],
    ["max", Number.NaN],
    ["max", Number.POSITIVE_INFINITY],
    ["oneOf", []],
    ["oneOf", "ab"],
    ["oneOf", [undefined]],
  ])("refuses %s %j", (op, value) => {
    expect(pinsProblem([{ path: "amount", op, value }])).toBe(`The value of the pin on amount does not fit "${op}".`);
  });
});

describe("a pin", () => {
  it.each<[Pin, unknown, boolean]>([
    [pin("equals", { a: 1, b: 2 }), { b: 2, a: 1 }, true],
    [pin("equals", { a: 1 }), { a: 1, b: 2 }, false],
    [pin("equals", "1"), 1, false],
    [pin("equals", null), null, true],
    [pin("oneOf", [{ a: 1 }, 2]), { a: 1 }, true],
    [pin("oneOf", [1, 2]), [1, 2], false],
    [pin("oneOf", "abc"), "a", false],
    [pin("max", 5), 5, true],
    [pin("max", 5), 0, true],
    [pin("max", 5), 5.01, false],
    [pin("max", 5), -0.01, false],
    [pin("max", 5), "4", false],
    [pin("max", "5"), 4, false],
    [pin("prefix", "/a/b"), "/a/b", true],
    [pin("prefix", "/a/b"), "/a", false],
    [pin("prefix", "/a/b"), ["/a/b"], false],
    [pin("prefix", "a/b"), "/a/b", false],
    [pin("prefix", 5), "/a/b", false],
    [pin("host", "Example.com"), "https://EXAMPLE.com/x", true],
    [pin("host", "example.com"), "Ann@EXAMPLE.com", true],
    [pin("host", "example.com"), "http://example.com", true],
    [pin("host", "example.com"), "HTTPS://example.com/", true],
    [pin("host", "example.com"), ["https://example.com/"], false],
    [pin("host", 5), "https://example.com/", false],
  ])("attack C10: %j on %j: %s", (one, value, expected) => {
    expect(within(one, value)).toBe(expected);
  });

  it.each([
    "ftp://example.com/",
    "xhttps://example.com/",
    "https:///example.com/",
    "https:example.com",
    "https://example.com\\@evil.org",
    "https://example.com/ x",
    "https://exam\tple.com/",
    "https://example.com/\u0000",
    "https://ann@example.com/",
    "https://:secret@example.com/",
    "https://example.com:99999/",
    "https://[example.com/",
    "example.com",
    "ann@evil.org@example.com",
    "<ann>@example.com",
    "x ann@example.com",
    "ann@example.com x",
    "https://evil.org/ann@example.com",
    "@example.com",
    "",
  ])("attack C10: sees no host where readers could differ about it: %j", (text) => {
    expect(within(pin("host", "example.com"), text)).toBe(false);
  });

  it("follows its path through objects and lists, and finds nothing beside it", () => {
    const args = { card: { number: "4" }, items: [{ id: "a" }, { id: "b" }], none: null, text: "abc" };
    const at = (path: string, value: Json) => pinsHold([{ path, op: "equals", value }], args);
    expect(at("card.number", "4")).toBe(true);
    expect(at("items.1.id", "b")).toBe(true);
    expect(at("items.2.id", "b")).toBe(false);
    expect(at("none", null)).toBe(true);
    expect(at("none.x", null)).toBe(false);
    expect(at("text.0", "a")).toBe(false);
    expect(at("card.toString", "4")).toBe(false);
  });

  it("holds together with the others or not at all", () => {
    const pins: Pin[] = [pin("max", 5), { path: "y", op: "equals", value: 1 }];
    expect(pinsHold(pins, { x: 1, y: 1 })).toBe(true);
    expect(pinsHold(pins, { x: 1, y: 2 })).toBe(false);
    expect(pinsHold(pins, { x: 6, y: 1 })).toBe(false);
    expect(pinsHold([], { x: 6 })).toBe(true);
  });
});

describe("pinning everything", () => {
  it("holds a call to its arguments, whatever their order, no fewer and no others", () => {
    const pins = pinAll({ a: 1, b: 2 });
    expect(pinsHold(pins, { b: 2, a: 1 })).toBe(true);
    expect(pinsHold(pins, { a: 1 })).toBe(false);
    expect(pinsHold(pins, { a: 1, b: 2, c: 3 })).toBe(false);
    expect(pinsHold(pins, { "*": "x", a: 1, b: 2 })).toBe(false);
  });

  it("keeps a hash and not the arguments", () => {
    expect(JSON.stringify(pinAll({ password: "hunter2" }))).not.toContain("hunter2");
  });
});
