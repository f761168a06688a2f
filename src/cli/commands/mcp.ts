import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerDeclaration, Servers } from "../../adapters/mcp/index.js";
import { dataFolder } from "../../config/state-folder.js";
import { CountersignError } from "../../core/errors.js";
import { agentGate, keyOf } from "../agent-gate.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { urlOf } from "../signed-in.js";

/** The gateway in front of the servers of MCP clients. */
export function mcpCommands({ program, run }: Frame): void {
  const mcp = program.command("mcp").description("a gateway in front of MCP servers");
  mcp
    .command("serve", { isDefault: true })
    .description("stand in front of the servers of an mcpServers file, over standard input and output")
    .requiredOption("--config <file>", "JSON with mcpServers, as clients have it")
    .option("--server <name>", "only this one of them, so that its tools keep their names")
    .option("--declare <file>", "JSON by server: what you say of its tools, such as which only read")
    .option("--port <port>", "over HTTP on this machine instead")
    .action(
      run(async (console, options) => {
        const { config = "", server, declare } = options;
        const port = portOf(options);
        const { filePins, keptConnection, readServers, startGateway } = await gatewayParts();
        const servers = only(server, readServers(jsonOf(config)));
        // A key goes only to the server that it was kept for.
        const kept = options["url"] === undefined ? keptConnection(config) : undefined;
        const { url = urlOf(console, options), key } = kept ?? {};
        const gate = await agentGate(console, { ...options, url }, "mcp", { key });
        const gateway = await startGateway({
          gate,
          servers,
          ...(declare === undefined ? {} : { declare: jsonOf(declare) as Readonly<Record<string, ServerDeclaration>> }),
          pins: filePins(join(dataFolder(console.process.env), "mcp-pins")),
          approvalUrl: (approvalId) => `${url}/approvals/${approvalId}`,
          front: port === undefined ? { type: "stdio" } : { type: "http", port },
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
        run(async (console, options, client = "") => {
          const { config } = options;
          const { installGateway, uninstallGateway } = await gatewayParts();
          const change = verb === "install" ? installGateway : uninstallGateway;
          const key = verb === "install" ? keyOf(console, "mcp") : "";
          const done = change(client, {
            stateFolder: dataFolder(console.process.env),
            // By their paths: programs with windows are started without the paths of a shell.
            command: [process.execPath, fileURLToPath(new URL("../main.js", import.meta.url))],
            connection: { key, url: urlOf(console, options) },
            ...(config === undefined ? {} : { configPath: config }),
          });
          console.answer(done, () => [
            `${done.configPath}: ${done.changed.length === 0 ? "nothing to change" : done.changed.join(", ")}`,
            ...(verb === "install" ? [`as it was: ${done.backupPath}`] : []),
            ...done.left.map(({ server, why }) => `left alone: ${server} (${why})`),
          ]);
          return EXIT.ok;
        }),
      );
  }
}

function portOf({ port }: Record<string, string | undefined>): number | undefined {
  if (port === undefined) return undefined;
  if (/^\d{1,5}$/.test(port) && Number(port) < 65_536) return Number(port);
  throw new CountersignError("invalid_request", "--port is a whole number from 0 to 65535.");
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

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new CountersignError("invalid_request", `${path} cannot be read as JSON.`, { cause });
  }
}

/** Loaded by those who use them: the other commands start without the protocol's packages. */
function gatewayParts() {
  return import("../../adapters/mcp/index.js");
}
