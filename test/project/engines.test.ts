import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "./source-scan.js";

interface Locked {
  readonly engines?: { readonly node?: string };
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** Whether a range such as `^18.17 || >=20.9` lets the oldest Node in that we promise. */
function admits(range: string, [major, minor]: readonly [number, number]): boolean {
  return range.split("||").some((clause) =>
    clause
      .trim()
      .replaceAll(/([<>]=?|[\^~])\s+/g, "$1")
      .split(/\s+/)
      .every((part) => {
        const [, operator = "", named = "0", second = "0"] =
          /^([<>]=?|\^|~|=)?\s*v?(\d+|\*)(?:\.(\d+|x))?/.exec(part.trim()) ?? [];
        const [wanted, least] = [Number(named), Number(second)];
        if (Number.isNaN(wanted)) return true;
        if (operator.startsWith("<")) return major < wanted || (operator === "<=" && major === wanted);
        if (operator.startsWith(">"))
          return major > wanted || (major === wanted && minor >= (Number.isNaN(least) ? 0 : least));
        return major === wanted && (operator === "" || minor >= (Number.isNaN(least) ? 0 : least));
      }),
  );
}

describe("what users install", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  const workspaces = ["", ...manifest.workspaces];

  it("runs on the oldest Node that the package promises", () => {
    const [major = 0, minor = 0] = manifest.engines.node.replace(">=", "").split(".").map(Number);
    const used = Object.entries(lock.packages).filter(
      ([path, { dev, link }]) => !dev && !link && !workspaces.includes(path),
    );
    expect(used.length).toBeGreaterThan(10);
    const refusing = used.filter(
      ([, { engines }]) => engines?.node !== undefined && !admits(engines.node, [major, minor]),
    );
    expect(refusing.map(([path, { engines }]) => `${path} ${engines?.node}`)).toEqual([]);
  });

  it.each([
    [">=18", true],
    [">= 8", true],
    ["^20.19.0 || >=22.12.0", true],
    [">=20.20", false],
    [">=22", false],
    ["^18.0.0", false],
    [">= 14.0.0 < 20", false],
    ["20 || 22", true],
  ])("reads %s", (range, expected) => {
    expect(admits(range, [20, 19])).toBe(expected);
  });
});
