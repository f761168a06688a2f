import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Servers } from "../../adapters/mcp/index.js";
import { stateFolder } from "../../config/load.js";
import { CountersignError } from "../../core/errors.js";
import type { RemoteGate } from "../../remote/index.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { urlOf } from "../signed-in.js";

/** What stands in front of agents that people already use: MCP clients and Claude Code. */
export function agentCommands({ program, run }: Frame): void {
  const mcp = program.command("mcp").description("a gateway in front of MCP servers");
  mcp
    .command("serve", { isDefault: true })
    .description("stand in front of the servers of an mcpServers file, over standard input and output")
    .requiredOption("--config <file>", "JSON with mcpServers, as clients have it")
    .option("--server <name>", "only this one of them, so that its tools keep their names")
    .option("--port <port>", "over HTTP on this machine instead")
    .action(
      run(async (console, options) => {
        const { config = "", server, port } = options;
        const url = urlOf(console, options);
        const { filePins, readServers, startGateway } = await gatewayParts();
        const gate = await gateOf(console, options);
        const gateway = await startGateway({
          gate,
          servers: only(server, readServers(JSON.parse(readFileSync(config, "utf8")))),
          pins: filePins(join(folderOf(console), "mcp-pins")),
          approvalUrl: (approvalId) => `${url}/approvals/${approvalId}`,
          front: port === undefined ? { type: "stdio" } : { type: "http", port: Number(port) },
        });
        if (gateway.url !== undefined) console.say(gateway.url);
        await gateway.ended;
        await gate.close();
        return EXIT.ok;
      }),
    );
  for (const verb of ["install", "uninstall"] as const) {
    mcp
      .command(`${verb} <client>`)
      .description(verb === "install" ? "put the gateway in front of a client's servers" : "give everything back")
      .option("--config <file>", "the client's configuration, when it is not where it usually is")
      .action(
        run(async (console, { config }, client = "") => {
          const { installGateway, uninstallGateway } = await gatewayParts();
          const change = verb === "install" ? installGateway : uninstallGateway;
          const done = change(client, {
            stateFolder: folderOf(console),
            ...(config === undefined ? {} : { configPath: config }),
          });
          console.answer(done, () => [
            `${done.configPath}: ${done.changed.length === 0 ? "nothing to change" : done.changed.join(", ")}`,
            ...done.left.map(({ server, why }) => `left alone: ${server} (${why})`),
          ]);
          return EXIT.ok;
        }),
      );
  }
  program
    .command("hook")
    .description("answer a hook of Claude Code: its JSON on standard input, the answer on standard output")
    .option("--when-down <what>", "deny or ask, when the server does not answer", "deny")
    .action(
      run(async (console, options) => {
        const { answerHook } = await import("../../adapters/claude-code/index.js");
        const gate = await gateOf(console, options);
        try {
          const whenDown = options["whenDown"] === "ask" ? "ask" : "deny";
          const answer = await answerHook(await readJson(console), gate, { whenDown });
          console.process.stdout.write(`${JSON.stringify(answer)}\n`);
        } finally {
          await gate.close();
        }
        return EXIT.ok;
      }),
    );
}

function only(name: string | undefined, servers: Servers): Servers {
  if (name === undefined) return servers;
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (server === undefined) {
    throw new CountersignError(
      "invalid_request",
      `There is no server "${name}" in the file. There are: ${Object.keys(servers).join(", ")}.`,
    );
  }
  return { [name]: server };
}

/** Loaded by those who use them: the other commands start without the protocol's packages. */
function gatewayParts() {
  return import("../../adapters/mcp/index.js");
}

async function gateOf(console: Console, options: Record<string, string | undefined>): Promise<RemoteGate> {
  const key = console.process.env["COUNTERSIGN_KEY"];
  if (key === undefined || key === "") {
    throw new CountersignError(
      "invalid_request",
      "Set COUNTERSIGN_KEY to an agent's key: countersign keys create NAME --scope …",
    );
  }
  const { connectGate } = await import("../../remote/index.js");
  return connectGate({ url: urlOf(console, options), key });
}

function folderOf({ process: { env } }: Console): string {
  return env["COUNTERSIGN_DATA"] || stateFolder(env);
}

/** What is not JSON is no tool call, and the answer to that is no. */
async function readJson({ process: { stdin } }: Console): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}
