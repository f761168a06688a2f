import { describe, expect, it } from "vitest";
import { EXCEPTIONS, LAYERS, OUTSIDERS, violationsOf } from "./layers.js";
import { methodCallsOf, type Source, sourcesIn } from "./source-scan.js";

const isTest = ({ path }: Source) => /\.test\.tsx?$/.test(path);
const ours = sourcesIn("src").filter((source) => !isTest(source));
const others = [...OUTSIDERS, "scripts"].flatMap(sourcesIn);

/** A tool is run here, after the claim is committed by the gate or told by its server, and nowhere else (invariants I1, I2). */
const RUNS_TOOLS = ["src/core/execute.ts", "src/remote/run-claimed.ts"];
/** Files that call a method named `execute` which is not a gated tool's, each with what it is instead. */
const OTHER_EXECUTES: Readonly<Record<string, string>> = {
  "src/adapters/ai-sdk/gated.ts": "the app's own tool, in the step that an attached tool takes after its claim",
};

describe("who may import whom", () => {
  it("holds for every file", () => {
    expect(ours.length).toBeGreaterThan(0);
    expect([...ours, ...others].flatMap(violationsOf)).toEqual([]);
  });

  it("has a layer for every file that is excepted", () => {
    for (const path of Object.keys(EXCEPTIONS)) {
      expect(Object.keys(LAYERS).some((layer) => path.startsWith(`${layer}/`))).toBe(true);
    }
  });

  it.each([
    [
      "src/core/gate.ts",
      'import { createMemoryStore } from "../stores/memory.js";',
      "src/core may not import src/stores",
    ],
    ["src/core/gate.ts", 'import type { Row } from "../stores/memory.js";', "src/core may not import src/stores"],
    ["src/core/gate.ts", 'export { app } from "../server/app.js";', "src/core may not import src/server"],
    ["src/core/gate.ts", 'const app = await import("../server/app.js");', "src/core may not import src/server"],
    ["src/core/gate.ts", 'type App = import("../server/app.js").App;', "src/core may not import src/server"],
    ["src/core/gate.ts", 'import app = require("../server/app.js");', "src/core may not import src/server"],
    ["src/core/gate.ts", 'import { readFileSync } from "node:fs";', "src/core may not use it"],
    ["src/core/gate.ts", 'import { parse } from "yaml";', "src/core may not use packages"],
    ["src/core/gate.ts", "const any = await import(name);", "src/core may not use packages"],
    ["src/stores/sqlite.ts", 'import { createHash } from "crypto";', "write node:crypto"],
    ["src/stores/sqlite.ts", 'import { test } from "vitest";', "package.json does not give it to users"],
    ["src/stores/sqlite.ts", 'import { card } from "../channels/card.js";', "src/stores may not import src/channels"],
    ["src/server/app.ts", 'import { fakeClock } from "../testing/clock.js";', "src/server may not import src/testing"],
    ["src/client/client.ts", 'import { hash } from "../core/hash.js";', "src/client may import only types of src/core"],
    [
      "src/client/client.ts",
      'import { type Call } from "../core/call.js";',
      "src/client may import only types of src/core",
    ],
    ["src/cli/commands/list.ts", 'import { app } from "../../server/app.js";', "src/cli may not import src/server"],
    ["src/elsewhere/new.ts", 'import "node:fs";', "its folder has no line in the table of layers"],
    ["src/cli/main.ts", 'import "../../test/helper.js";', "it is in no layer"],
    ["scripts/setup.mjs", 'import { parse } from "yaml";', "scripts may not use packages"],
    ["assistant/src/chat.ts", 'import "../../src/core/gate.js";', "assistant may use only what the package exports"],
    ["web/src/inbox.tsx", 'import "countersign/dist/index.js";', "the package does not export it"],
  ])("refuses in %s: %s", (path, text, problem) => {
    expect(violationsOf({ path, text })).toEqual([expect.stringContaining(`: ${problem}`)]);
  });

  it.each([
    ["src/core/gate.ts", 'import { judge } from "./judge.js"; import { createHash } from "node:crypto";'],
    ["src/stores/sqlite.ts", 'import type { Store } from "../core/ports.js"; import "node:sqlite";'],
    ["src/stores/sqlite.ts", 'const driver = await import("@photostructure/sqlite");'],
    ["src/client/client.ts", 'import type { Call } from "../core/call.js";'],
    ["src/cli/commands/serve.ts", 'import { app } from "../../server/app.js";'],
    ["assistant/src/chat.ts", 'import { text } from "./text.js"; import "countersign"; import "hono";'],
  ])("allows in %s: %s", (path, text) => {
    expect(violationsOf({ path, text })).toEqual([]);
  });
});

describe("who may run a tool", () => {
  it(`is ${RUNS_TOOLS.join(" and ")} alone`, () => {
    const callers = ours.filter((source) => methodCallsOf(source, "execute").length > 0).map(({ path }) => path);
    expect(callers.filter((path) => !RUNS_TOOLS.includes(path) && !Object.hasOwn(OTHER_EXECUTES, path))).toEqual([]);
  });

  it("excepts no file that does not need it", () => {
    const paths = ours.filter((source) => methodCallsOf(source, "execute").length > 0).map(({ path }) => path);
    expect(Object.keys(OTHER_EXECUTES).filter((path) => !paths.includes(path))).toEqual([]);
  });

  it.each([
    "await tool.execute(args);",
    "await tool?.execute?.(args);",
    'await tool["execute"](args);',
    "(tool.execute as Run)(args);",
    "await tool.execute.call(tool, args);",
    "const run = tool.execute.bind(tool);",
    "const { execute } = tool;",
    "const { execute: run } = tool;",
    "const wrap = ({ execute }: Tool) => execute;",
    "class Hidden { run() { return this.tool.execute(1); } }",
  ])("sees %s", (text) => {
    expect(methodCallsOf({ path: "src/server/sneaky.ts", text }, "execute")).toEqual([1]);
  });

  it.each([
    "execute(call, ports);",
    "const tool = { execute: () => 1 };",
    "interface Tool { execute(args: unknown): void }",
  ])("is not misled by %s", (text) => {
    expect(methodCallsOf({ path: "src/core/gate.ts", text }, "execute")).toEqual([]);
  });
});
