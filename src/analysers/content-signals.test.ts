import { describe, expect, it } from "vitest";
import type { Analyser } from "../core/engine.js";
import type { Scope } from "../core/judging/scope.js";
import { defineTool, type ToolDefinition } from "../core/tool.js";
import { type ContentAnalyserOptions, contentAnalyser } from "./content.js";
import type { ContentFormat } from "./values.js";

interface Given {
  readonly tool?: Partial<ToolDefinition>;
  readonly scope?: Scope;
  readonly options?: ContentAnalyserOptions;
}

/** What the analyser says of one argument that the options name. */
function signalsOf(format: ContentFormat, value: unknown, { tool, scope, options }: Given = {}) {
  const analyser = contentAnalyser({ tools: { "data.run": { value: format } }, ...options });
  const question = {
    tool: defineTool({ name: "data.run", effect: "write", ...tool }),
    args: { value },
    ...(scope === undefined ? {} : { scope }),
  };
  return analyser(question as unknown as Parameters<Analyser>[0]);
}

const codesOf = async (...given: Parameters<typeof signalsOf>) => (await signalsOf(...given)).map(({ code }) => code);
const READS = { tool: { effect: "read" } } as const;

describe("the signals of the content analyser", () => {
  it("doubt what should be a text and is none", async () => {
    expect(await signalsOf("sql", 5)).toEqual([
      {
        source: "analyser",
        code: "uninspectable",
        riskTier: "R4",
        text: "The argument args.value should be a text and is none.",
      },
    ]);
  });

  it.each(["sql", "postgres", "mysql", "sqlite", "shell"] as const)(
    "say of a %s that writes that its tool does not only read",
    async (format) => {
      const value = format === "shell" ? `rm ${"a".repeat(500)}` : `INSERT INTO t VALUES ('${"a".repeat(500)}')`;
      expect((await signalsOf(format, value, READS)).at(-1)).toEqual({
        source: "analyser",
        code: "not_a_read",
        riskTier: "R3",
        text: "The tool says that it only reads, and this does more.",
        fragment: value.slice(0, 400),
      });
      expect(await codesOf(format, value)).not.toContain("not_a_read");
      expect(await codesOf(format, format === "shell" ? "ls" : "SELECT 1", READS)).toEqual([]);
    },
  );

  it.each(["touch a", "mkdir a", "git add .", "git branch new", "ls && touch a"])(
    "say so of `%s` too, however small the change is",
    async (command) => {
      expect((await signalsOf("shell", command, READS)).at(-1)).toMatchObject({ code: "not_a_read", riskTier: "R3" });
      expect(await codesOf("shell", command)).toEqual(["changes_reversibly"]);
    },
  );

  it.each([
    ["shell", "cd src && ls"],
    ["postgres", "BEGIN; SELECT 1; COMMIT"],
    ["mysql", "USE shop"],
  ] as const)("do not say so of a %s that moves about and changes nothing: %s", async (format, text) => {
    expect(await codesOf(format, text, READS)).not.toContain("not_a_read");
  });

  it("do not say so of paths and addresses, which may well be read", async () => {
    expect(await codesOf("path", "/etc/shadow", READS)).toEqual(["secret_accounts"]);
    expect(await codesOf("uri", "http://10.0.0.1/", READS)).toEqual(["special_address"]);
  });

  it("name drift as the scope's and the rest as the analyser's", async () => {
    const scope = { paths: ["/work"], domains: ["example.com"] };
    const sources = async (format: ContentFormat, value: string) =>
      (await signalsOf(format, value, { scope })).map(({ source, code }) => `${source} ${code}`);
    expect(await sources("path", "/etc/shadow")).toEqual(["scope path_outside", "analyser secret_accounts"]);
    expect(await sources("path", "/WORK/a")).toEqual(["scope name_alias"]);
    for (const format of ["uri", "url"] as const)
      expect(await sources(format, "https://other.test/")).toEqual(["scope host_outside"]);
    expect(await sources("hostname", "other.test")).toEqual(["scope host_outside"]);
    expect(await sources("email", "bo@other.test")).toEqual(["scope host_outside"]);
    expect(await sources("email", "ann@example.com")).toEqual([]);
    expect(await sources("hostname", "example.com")).toEqual([]);
  });

  it.each(["", "a b", "a.com/x", "a.com\\x", "a.com?x", "a.com#x", "x@a.com", "a.com:80"])(
    "take %j for no host",
    async (host) => {
      expect(await codesOf("hostname", host)).toEqual(["unparsable"]);
    },
  );

  it.each([
    "eve@evil.test,ann@example.com",
    "eve@evil.test; ann@example.com",
    "eve@evil.test\nann@example.com",
    "eve@evil.test ann@example.com",
    "eve@evil.test@example.com",
    "Eve <eve@evil.test>",
    "<eve@evil.test>@example.com",
    '"eve@evil.test"@example.com',
    "eve%evil.test@example.com",
    "evil.test!eve@example.com",
    "eve@evil.test\u0000@example.com",
    "mailto:ann@example.com",
    "ann@example.com?bcc=eve",
    "example.com",
    "@example.com",
  ])("attack C5: take %j for no address of a host that is allowed", async (value) => {
    expect(await codesOf("email", value, { scope: { domains: ["example.com"] } })).toEqual(["unparsable"]);
  });

  it("say once that a text cannot be read", async () => {
    for (const [format, value] of [
      ["sql", "SELEKT"],
      ["shell", "if"],
      ["url", "nonsense"],
    ] as const) {
      const highest = (await signalsOf(format, value)).filter(({ riskTier }) => riskTier === "R4");
      expect(highest, format).toHaveLength(1);
    }
  });

  it("read relative paths from where the options say, then from here for tools that run here", async () => {
    const scope = { paths: [process.cwd()] };
    const execute = () => "done";
    expect(await codesOf("path", "a.txt", { scope })).toEqual(["no_base"]);
    expect(await codesOf("path", "a.txt", { scope, tool: { execute } })).toEqual([]);
    const options = { cwd: "/elsewhere" };
    const named = { tools: { "data.run": { value: "path" } }, ...options } as const;
    expect(await codesOf("path", "a.txt", { scope, tool: { execute }, options: named })).toEqual(["path_outside"]);
  });

  it("read SQL in the dialect of the options, and in its own where the format names one", async () => {
    const value = "SELECT `a` FROM `t`";
    expect(await codesOf("mysql", value)).toEqual([]);
    expect(await codesOf("postgres", value)).not.toEqual([]);
    expect(await codesOf("sql", value)).not.toEqual([]);
    const options = { tools: { "data.run": { value: "sql" } }, dialect: "mysql" } as const;
    expect(await codesOf("sql", value, { options })).toEqual([]);
  });

  it("are for the tools that the options name", async () => {
    const value = "DROP TABLE users";
    expect(await codesOf("sql", value, { tool: { name: "data.other" } })).toEqual([]);
    expect(await codesOf("sql", value, { options: { tools: {} } })).toEqual([]);
    expect(await codesOf("sql", value)).not.toEqual([]);
  });
});
