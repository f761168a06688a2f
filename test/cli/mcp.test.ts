import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { INSTALL_CLIENTS } from "../../src/adapters/mcp/index.js";
import { CLI, Machine } from "./machine.js";

const machine = new Machine();
let key = "";

beforeAll(async () => {
  await machine.start();
  key = await machine.agentKey(["mcp__*"]);
  return () => machine.end();
});

const program = (name: string) => createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/dist/index.js`);

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "countersign-mcp-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function filesServer(folder: string) {
  return { command: process.execPath, args: [program("server-filesystem"), folder] };
}

/** An MCP client that starts its server as clients do: with a few variables of the environment and no more. */
async function connect(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "agent", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args: [...args], env, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

const textOf = (result: unknown) => JSON.stringify(result);

describe("countersign mcp, between a client and its servers", () => {
  it("reads what its owner declared, and writes once a person has said yes", async () => {
    const folder = newFolder();
    const path = join(folder, "note.txt");
    writeFileSync(path, "before");
    writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { files: filesServer(folder) } }));
    const declared = { files: { tools: { read_text_file: { effect: "read" } } } };
    writeFileSync(join(folder, "declare.json"), JSON.stringify(declared));
    const args = [CLI, "mcp", "--config", join(folder, "mcp.json"), "--server", "files"];
    const env = { COUNTERSIGN_KEY: key, COUNTERSIGN_URL: machine.url, COUNTERSIGN_DATA: machine.data };
    const client = await connect(process.execPath, [...args, "--declare", join(folder, "declare.json")], env);
    expect(textOf(await client.callTool({ name: "read_text_file", arguments: { path } }))).toContain("before");
    const writing = client.callTool({ name: "write_file", arguments: { path, content: "after" } });
    const question = await machine.asked();
    expect(question.card.tool).toBe("mcp__files__write_file");
    expect(readFileSync(path, "utf8")).toBe("before");
    await machine.answer("approve");
    await writing;
    expect(readFileSync(path, "utf8")).toBe("after");
    const denied = client.callTool({ name: "write_file", arguments: { path, content: "worse" } });
    await machine.answer("deny", { reason: "leave it" });
    expect(textOf(await denied)).toContain("leave it");
    expect(readFileSync(path, "utf8")).toBe("after");
  });

  it("stands in front of several servers at once, and passes on what is not a call", async () => {
    const folder = newFolder();
    const everything = { command: process.execPath, args: [program("server-everything"), "stdio"] };
    const servers = { mcpServers: { files: filesServer(folder), everything } };
    writeFileSync(join(folder, "mcp.json"), JSON.stringify(servers));
    const env = { COUNTERSIGN_KEY: key, COUNTERSIGN_URL: machine.url, COUNTERSIGN_DATA: machine.data };
    const client = await connect(process.execPath, [CLI, "mcp", "--config", join(folder, "mcp.json")], env);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["files__write_file", "everything__echo"]));
    expect((await client.listResources()).resources).not.toHaveLength(0);
    const echo = client.callTool({ name: "everything__echo", arguments: { message: "hello" } });
    await machine.answer("approve");
    expect(textOf(await echo)).toContain("hello");
  });

  it("invariant I8: refuses every call when its server is down, and does not start without a key", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { files: filesServer(folder) } }));
    const args = ["mcp", "--config", join(folder, "mcp.json"), "--server", "files"];
    const env = { COUNTERSIGN_KEY: key, COUNTERSIGN_URL: "http://localhost:9", COUNTERSIGN_DATA: folder };
    const client = await connect(process.execPath, [CLI, ...args], env);
    const path = join(folder, "never.txt");
    const told = await client.callTool({ name: "write_file", arguments: { path, content: "x" } }).catch(String);
    expect(textOf(told)).toContain("Not run");
    expect(existsSync(path)).toBe(false);
    const { code, stderr } = await machine.run(args, { COUNTERSIGN_KEY: "" });
    expect([code, stderr]).toEqual([2, expect.stringContaining("keys create NAME --for mcp")]);
  });

  it("goes to the server that its flag names, and takes no key there that was kept for another", async () => {
    const folder = newFolder();
    const kept = { mcpServers: { files: filesServer(folder) }, connection: { url: "http://localhost:9", key } };
    writeFileSync(join(folder, "kept.json"), JSON.stringify(kept));
    const args = ["mcp", "--config", join(folder, "kept.json"), "--url", machine.url];
    const { code, stderr } = await machine.run(args, { COUNTERSIGN_KEY: "" });
    expect([code, stderr]).toEqual([2, expect.stringContaining("Set COUNTERSIGN_KEY")]);
    const client = await connect(process.execPath, [CLI, ...args], {
      COUNTERSIGN_KEY: key,
      COUNTERSIGN_DATA: machine.data,
    });
    const path = join(folder, "note.txt");
    const writing = client.callTool({ name: "write_file", arguments: { path, content: "x" } });
    await machine.asked();
    await machine.answer("deny");
    expect(textOf(await writing)).toContain("TOOL_DENIED");
  });
});

/** Where each client keeps its servers on this system, below the home or the project. */
const PATHS: Readonly<Record<string, string>> = {
  "claude-desktop": ".config/Claude/claude_desktop_config.json",
  "claude-code": ".claude.json",
  "claude-code-project": ".mcp.json",
  cursor: ".cursor/mcp.json",
  "cursor-project": ".cursor/mcp.json",
  windsurf: ".codeium/windsurf/mcp_config.json",
  "gemini-cli": ".gemini/settings.json",
  vscode: ".config/Code/User/mcp.json",
  "vscode-project": ".vscode/mcp.json",
};

/** The command line as somebody runs it whose home and folder are these. */
function at(home: string, folder: string) {
  return (...args: readonly string[]) =>
    machine.run(
      args,
      { HOME: home, XDG_CONFIG_HOME: "", COUNTERSIGN_DATA: join(home, "state"), COUNTERSIGN_KEY: key },
      "",
      folder,
    );
}

describe.runIf(process.platform === "linux")("countersign mcp install", () => {
  it("knows a place for each of its clients", () => {
    expect(Object.keys(PATHS)).toEqual(INSTALL_CLIENTS);
  });

  it.each(Object.entries(PATHS))(
    "%s: its servers stand behind the gateway, work, and come back byte for byte",
    async (client, path) => {
      const home = newFolder();
      const folder = client.endsWith("-project") ? newFolder() : home;
      const config = join(folder, path);
      const inEditor = client.startsWith("vscode");
      const servers = { files: filesServer(home), asks: { command: "x", args: ["${workspaceFolder}"] } };
      // With a layout of its own, as people have it.
      const before = JSON.stringify(
        { other: { kept: true }, [inEditor ? "servers" : "mcpServers"]: servers },
        null,
        "\t",
      );
      mkdirSync(dirname(config), { recursive: true });
      writeFileSync(config, before, { mode: 0o640 });
      const cli = at(home, folder);
      const installed = await cli("--json", "mcp", "install", client);
      expect(installed.code, installed.stderr).toBe(0);
      const { changed, left, backupPath, savedPath } = JSON.parse(installed.stdout);
      expect([changed, left.map(({ server }: { server: string }) => server)]).toEqual([["files"], ["asks"]]);
      expect(readFileSync(backupPath, "utf8")).toBe(before);
      for (const secret of [backupPath, savedPath]) expect(statSync(secret).mode & 0o077).toBe(0);
      expect(statSync(config).mode & 0o777).toBe(0o640);
      expect(readFileSync(config, "utf8")).not.toContain(key);

      const after = JSON.parse(readFileSync(config, "utf8"))[inEditor ? "servers" : "mcpServers"].files;
      expect(after.type).toBe(inEditor ? "stdio" : undefined);
      const running = await connect(after.command, after.args);
      const file = join(home, "made.txt");
      const writing = running.callTool({ name: "write_file", arguments: { path: file, content: "made" } });
      await machine.answer("approve");
      await writing;
      expect(readFileSync(file, "utf8")).toBe("made");

      expect((await cli("mcp", "install", client)).stdout).toContain("nothing to change");
      expect((await cli("mcp", "uninstall", client)).code).toBe(0);
      expect(readFileSync(config, "utf8")).toBe(before);
      expect(existsSync(backupPath) || existsSync(savedPath)).toBe(false);
    },
  );

  it("changes nothing and loses nothing where the configuration is broken, missing or unknown", async () => {
    const home = newFolder();
    const cli = at(home, home);
    const missing = await cli("mcp", "install", "cursor");
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("There is no configuration at")]);
    mkdirSync(join(home, ".cursor"));
    const broken = '{ "mcpServers": { "files": { "command": "x" }, } } // mine';
    writeFileSync(join(home, ".cursor", "mcp.json"), broken);
    const refused = await cli("mcp", "install", "cursor");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("nothing was changed")]);
    expect(readFileSync(join(home, ".cursor", "mcp.json"), "utf8")).toBe(broken);
    writeFileSync(join(home, ".cursor", "mcp.json"), '{ "mcpServers": ["files"] }');
    expect((await cli("mcp", "install", "cursor")).stderr).toContain("not an object");
    expect((await cli("mcp", "install", "notepad")).stderr).toContain("not a client known here (claude-desktop,");
    expect(existsSync(join(home, "state", "mcp"))).toBe(false);
  });
});
