import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atLeast } from "../../core/risk.js";
import { analyseShell } from "./index.js";

const ordinary = JSON.parse(readFileSync(new URL("./cases/ordinary.json", import.meta.url), "utf8")) as {
  command: string;
  exactly: string;
}[];
const reads = ordinary.filter((each) => each.exactly === "R0").map((each) => each.command);
// A heredoc swallows what is appended to its last line, and a comment does too.
const appendable = reads.filter((command) => !/<<|#/.test(command));

const DESTRUCTIVE = [
  "; rm -rf x",
  " && rm -rf x",
  " || rm -rf x",
  "\nrm -rf x",
  " | rm -rf x",
  " & rm -rf x",
  " $(rm -rf x)",
  " `rm -rf x`",
];
const OPAQUE = [" | sh", " | bash -s", " | python", "; $X", " | xargs sh"];

/** Pieces of shell that random strings rarely hit. */
const fragment = fc.constantFrom(
  ..."rm ls -rf x $( ` ${ } ) ' \" \\ ; && || | & > >> < << <<< \n \t * ? [ ] { } ( ( ( ) ) # ! ~ = $X if then fi for do done case esac f() [[ ]] (( )) env sudo sh -c eval xargs find -exec {} \\; sed s/a/b/e awk tar \0 \u202e".split(
    " ",
  ),
);

describe("shell analyser properties", () => {
  it("rates a read with a destructive command appended as destructive", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...appendable), fc.constantFrom(...DESTRUCTIVE), async (read, tail) => {
        expect((await analyseShell(read + tail)).riskTier).toBe("R4");
      }),
      { numRuns: 1000 },
    );
  });

  it("rates a read whose output is run as not inspectable", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...appendable), fc.constantFrom(...OPAQUE), async (read, tail) => {
        const analysis = await analyseShell(read + tail);
        expect([analysis.riskTier, analysis.inspectable]).toEqual(["R4", false]);
      }),
      { numRuns: 500 },
    );
  });

  it("never rates a list below any of its commands", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...appendable), fc.constantFrom(...appendable), async (first, second) => {
        expect((await analyseShell(`${first}; ${second}`)).riskTier).toBe("R0");
      }),
      { numRuns: 300 },
    );
  });

  it("never throws, whatever the string (attack A2)", async () => {
    const shellLike = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(" "));
    const glued = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), shellLike, glued), async (text) => {
        const { riskTier, inspectable, findings } = await analyseShell(text);
        expect(inspectable || riskTier === "R4").toBe(true);
        expect(findings.every((finding) => atLeast(riskTier, finding.riskTier) && finding.text.endsWith("."))).toBe(
          true,
        );
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ["10 MB", "ls;".repeat(3_500_000)],
    ["deep nesting", `${"$(".repeat(5000)}ls${")".repeat(5000)}`],
    ["a long arithmetic chain", `echo $((${"1+".repeat(50_000)}1))`],
    ["a long chain of wrappers", `${"env ".repeat(5000)}ls`],
  ])("refuses to judge %s instead of looking less closely (attack C3)", async (_, text) => {
    const { riskTier, inspectable, findings } = await analyseShell(text);
    expect([riskTier, inspectable]).toEqual(["R4", false]);
    expect(findings.length).toBeGreaterThan(0);
  });

  it.each([
    ["sed", `sed 's/${"[[:".repeat(300_000)}/x/' f`],
    ["awk", `awk '{${"print ".repeat(150_000)}}' f`],
    ["patterns", `cat .${"*a".repeat(400_000)}`],
  ])("stays quick on hostile %s", async (_, text) => {
    expect((await analyseShell(text)).riskTier).not.toBe("R0");
  });
});
