import { describe, expect, it } from "vitest";
import { analyseShell, parseCommands } from "./index.js";

describe("analyseShell", () => {
  it("says nothing of a command that only looks", async () => {
    expect(await analyseShell("ls -la")).toEqual({ riskTier: "R0", inspectable: true, findings: [] });
    expect((await analyseShell("")).riskTier).toBe("R0");
  });

  it("names the effect, the tier and the exact fragment", async () => {
    const { findings } = await analyseShell("ls && rm -rf build");
    expect(findings).toEqual([
      {
        code: "destroys",
        riskTier: "R4",
        text: '"rm" deletes or overwrites data, or stops the system, for good.',
        fragment: "rm -rf build",
      },
    ]);
  });

  it("puts the worst finding first", async () => {
    const { findings } = await analyseShell("mkdir a; curl http://h; rm x");
    expect(findings.map((finding) => finding.riskTier)).toEqual(["R4", "R3", "R1"]);
  });

  it.each([
    ["echo `rm x`", ["rm x"]],
    ["sudo rm x", ["rm x", "sudo rm x"]],
    ["sudo rm  x", ["sudo rm  x", "sudo rm  x"]],
    ["bash -c 'rm x'", ["rm x"]],
    ["{ ls; } > a > b", ["> a", "> b"]],
    ["for PATH in a; do ls; done", ["PATH"]],
  ])("points in `%s` at what it speaks of", async (text, fragments) => {
    expect((await analyseShell(text)).findings.map((finding) => finding.fragment)).toEqual(fragments);
  });

  it("cuts the name of a program that would not fit a sentence", async () => {
    const said = async (length: number) => (await analyseShell("a".repeat(length))).findings[0]?.text;
    expect(await said(60)).toMatch(/^"a{60}" is not/);
    expect(await said(61)).toMatch(/^"a{57}\.\.\." is not/);
  });

  it("reads up to its limits, and not beyond (attack C3)", async () => {
    const list = (count: number): string => Array.from({ length: count }, () => "ls").join(";");
    expect((await analyseShell(list(1000))).riskTier).toBe("R0");
    expect((await analyseShell(list(1002))).findings).toEqual([
      { code: "cannot_inspect", riskTier: "R4", text: "There are more than 1000 commands.", fragment: "" },
    ]);
    expect((await analyseShell(`${"env ".repeat(15)}ls`)).riskTier).toBe("R0");
    expect((await analyseShell(`${"env ".repeat(16)}ls`)).findings[0]?.text).toBe(
      "Commands are wrapped too deeply to be inspected.",
    );
    expect((await analyseShell(`sed '${"p;".repeat(5000)}' f`)).riskTier).toBe("R0");
    expect((await analyseShell(`sed '${"p;".repeat(5000)}p' f`)).riskTier).toBe("R4");
    expect((await analyseShell(`cat ${"a".repeat(255)}*`)).findings.map(({ code }) => code)).toEqual([]);
    expect((await analyseShell(`cat ${"a".repeat(256)}*`)).findings.map(({ code }) => code)).toContain("reads_secret");
    const secrets = Array.from({ length: 1002 }, (_, index) => `$TOKEN${index}`).join(" ");
    expect((await analyseShell(`echo ${secrets}`)).findings).toHaveLength(1000);
    expect((await parseCommands(" ".repeat(1024 * 1024))).inspectable).toBe(true);
    expect(await parseCommands(" ".repeat(1024 * 1024 + 1))).toEqual({
      commands: [],
      inspectable: false,
      findings: [{ code: "cannot_inspect", riskTier: "R4", text: "The text is longer than 1 MiB." }],
    });
  });

  it("refuses to judge what is not a text", async () => {
    for (const value of [undefined, null, 5, {}, ["ls"]]) {
      expect(await analyseShell(value as unknown as string)).toMatchObject({
        riskTier: "R4",
        inspectable: false,
        findings: [{ text: "The text is nested too deeply or is not valid shell." }],
      });
    }
  });

  it("names what a destructive command acts on when that is known only at run time", async () => {
    const { findings } = await analyseShell('rm -rf "$DIR"/*');
    expect(findings.map((finding) => finding.code)).toEqual(["destroys", "targets_unknown"]);
  });

  it("weighs the last of many subcommands like the first (attack C3)", async () => {
    const many = Array.from({ length: 51 }, () => "ls").join("; ");
    expect((await analyseShell(many)).riskTier).toBe("R0");
    expect((await analyseShell(`${many}; rm -rf x`)).riskTier).toBe("R4");
  });

  it.each([
    ["more than 1000 commands", Array.from({ length: 1001 }, () => "ls").join(";")],
    ["more than 1 MiB", `echo ${"a".repeat(1024 * 1024)}`],
    ["more substitutions than are followed", "$(".repeat(500_000)],
    ["more braces in a word than are followed", "{".repeat(1_000_000)],
    ["such braces inside a script of a script", `bash -c 'bash -c "${"{a,".repeat(300_000)}"'`],
    ["a long chain of wrappers", `${"env ".repeat(17)}ls`],
    ["scripts inside scripts", `${"eval ".repeat(20)}ls`],
  ])("refuses to judge %s instead of looking less closely (attack C3)", async (_, text) => {
    const { riskTier, inspectable, findings } = await analyseShell(text);
    expect([riskTier, inspectable]).toEqual(["R4", false]);
    expect(findings.length).toBeGreaterThan(0);
  });

  it("keeps environment changes visible before a command that looks harmless (attack C4)", async () => {
    const { riskTier, findings } = await analyseShell("export PAGER='sh -c id'; git log");
    expect(riskTier).toBe("R3");
    expect(findings[0]).toMatchObject({ code: "changes_environment", fragment: "PAGER='sh -c id'" });
  });

  it("flags characters that show a person another text than the one that runs", async () => {
    const { findings } = await analyseShell("echo safe \u202e# x");
    expect(findings).toContainEqual(expect.objectContaining({ code: "hidden_characters", fragment: "\u202e" }));
  });
});

describe("parseCommands", () => {
  it("gives decoded arguments and marks those known only at run time", async () => {
    const { commands, inspectable } = await parseCommands(`gre""p -r 'a b' "$X" *.ts ~/c`);
    expect(inspectable).toBe(true);
    expect(commands[0]?.argv.map((word) => word.value)).toEqual(["grep", "-r", "a b", undefined, undefined, undefined]);
    expect(commands[0]?.argv.map((word) => word.kind).slice(3)).toEqual(["expansion", "pattern", "expansion"]);
  });

  it("lists a wrapper and what it runs, so that allowing one never allows the other (attack C2)", async () => {
    const { commands } = await parseCommands("sudo env A=1 bash -c 'ls; rm x'");
    const listed = commands.map(({ argv, wrappers }) => [wrappers.join(" "), argv.map((word) => word.value).join(" ")]);
    expect(listed).toEqual([
      ["", "sudo env A=1 bash -c ls; rm x"],
      ["sudo", "env A=1 bash -c ls; rm x"],
      ["sudo env", "bash -c ls; rm x"],
      ["sudo env bash", "ls"],
      ["sudo env bash", "rm x"],
    ]);
  });

  it("keeps assignments and redirections with their command", async () => {
    const { commands } = await parseCommands("A=1 B=$X ls > out 2>&1");
    expect(commands[0]?.assignments.map(({ name, value }) => [name, value.value])).toEqual([
      ["A", "1"],
      ["B", undefined],
    ]);
    expect(commands[0]?.redirects.map(({ operator, target }) => [operator, target.value])).toEqual([
      [">", "out"],
      [">&", "1"],
    ]);
  });

  it("is not inspectable when any part has a syntax error, however deeply nested", async () => {
    for (const text of ["ls )", "echo $(ls |)", 'bash -c "ls )"', "echo `if`"]) {
      expect((await parseCommands(text)).inspectable).toBe(false);
    }
  });
});
