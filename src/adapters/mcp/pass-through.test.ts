import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { approve, cards } from "../../../test/adapters/contract.js";
import { atEnd, connect, openGate } from "../../../test/adapters/mcp-client.js";
import { notesServer, serveMcp } from "../../../test/adapters/mcp-world.js";
import { readServers } from "./index.js";

const require = createRequire(import.meta.url);
const program = (name: string) => require.resolve(`@modelcontextprotocol/${name}/dist/index.js`);
const EVERYTHING = { command: process.execPath, args: [program("server-everything"), "stdio"] };
const INFO = { name: "agent", version: "1.0.0" };

/** Straight to the server, for comparison. */
async function bare(spec: { command: string; args: string[] }): Promise<Client> {
  const client = new Client(INFO);
  await client.connect(new StdioClientTransport({ ...spec, stderr: "ignore" }));
  atEnd(() => client.close());
  return client;
}

describe("the reference server for everything, through the gateway", () => {
  it("lists and gives the same tools, resources, templates, prompts and completions as without it", async () => {
    const gate = openGate();
    const { client } = await connect({ gate, servers: readServers({ mcpServers: { everything: EVERYTHING } }) });
    const direct = await bare(EVERYTHING);
    const ask = async (one: Client) => ({
      server: one.getServerVersion(),
      can: one.getServerCapabilities(),
      instructions: one.getInstructions(),
      tools: await one.listTools(),
      resources: await one.listResources(),
      templates: await one.listResourceTemplates(),
      prompts: await one.listPrompts(),
      prompt: await one.getPrompt({ name: "simple-prompt" }).catch(String),
      unknown: await one.getPrompt({ name: "there-is-no-such-prompt" }).catch(String),
    });
    expect(await ask(client)).toEqual(await ask(direct));
    await client.setLoggingLevel("debug");
    await client.ping();
  });

  it("runs a declared read at once and holds the rest, with the server's own progress on the way", async () => {
    const gate = openGate();
    const declare = { everything: { tools: { echo: { effect: "read" } } } } as const;
    const { client } = await connect({
      gate,
      declare,
      servers: readServers({ mcpServers: { everything: EVERYTHING } }),
    });
    const echoed = await client.callTool({ name: "echo", arguments: { message: "hello" } });
    expect(JSON.stringify(echoed)).toContain("hello");
    const heard: (number | undefined)[] = [];
    const long = { name: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 2 } };
    const called = client.callTool(long, { onprogress: ({ total }) => heard.push(total) });
    await approve(gate, (await cards(gate, 1))[0]);
    expect(JSON.stringify(await called)).toContain("completed");
    expect(heard).toContain(2);
  });
});

describe("the reference server for files, through the gateway", () => {
  it("reads at once, and writes when a person has approved", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "countersign-files-")));
    atEnd(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "a.txt"), "first");
    const gate = openGate();
    const files = { command: process.execPath, args: [program("server-filesystem"), folder] };
    const declare = { files: { trustHints: true } };
    const { client } = await connect({ gate, declare, servers: readServers({ mcpServers: { files } }) });
    const read = await client.callTool({ name: "read_text_file", arguments: { path: join(folder, "a.txt") } });
    expect(JSON.stringify(read)).toContain("first");
    const path = join(folder, "a.txt");
    const writing = client.callTool({ name: "write_file", arguments: { path, content: "second" } });
    const [card] = await cards(gate, 1);
    expect(readFileSync(path, "utf8")).toBe("first");
    await approve(gate, card);
    await writing;
    expect(readFileSync(path, "utf8")).toBe("second");
  });
});

describe("several servers behind one gateway", () => {
  it("attack A12: keeps tools of the same name apart, and passes on resources and prompts of each", async () => {
    const gate = openGate();
    const ran = { ran: [] as { tool: string; args: unknown }[] };
    const server = await serveMcp(() => notesServer(ran));
    atEnd(() => server.close());
    const mcpServers = { everything: EVERYTHING, work: { url: server.url }, home: { url: server.url } };
    const { client } = await connect({ gate, servers: readServers({ mcpServers }) });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["work__sendMail", "home__sendMail", "everything__echo"]));
    const called = client.callTool({ name: "home__sendMail", arguments: { to: "bo@example.com", text: "Hi" } });
    const [card] = await cards(gate, 1);
    expect(card).toMatchObject({ app: "home", tool: "mcp__home__sendMail" });
    await approve(gate, card);
    expect(JSON.stringify(await called)).toContain("sent to bo@example.com");
    const { resources } = await client.listResources();
    const uri = resources[0]?.uri ?? "";
    expect((await client.readResource({ uri })).contents).toHaveLength(1);
    expect((await client.getPrompt({ name: "everything__simple-prompt" })).messages).not.toHaveLength(0);
    await expect(client.callTool({ name: "elsewhere__sendMail", arguments: {} })).rejects.toThrow("Unknown");
  });
});
