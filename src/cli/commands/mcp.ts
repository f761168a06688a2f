import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Servers } from "../../adapters/mcp/index.js";
import { stateFolder } from "../../config/load.js";
import { CountersignError } from "../../core/errors.js";
import { agentGate } from "../agent-gate.js";
import { type Console, EXIT } from "../console.js";
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
    .option("--port <port>", "over HTTP on this machine instead")
    .action(
      run(async (console, options) => {
        const { config = "", server, port } = options;
        const url = urlOf(console, options);
        const { filePins, readServers, startGateway } = await gatewayParts();
        const gate = await agentGate(console, options, "mcp");
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

function folderOf({ process: { env } }: Console): string {
  return env["COUNTERSIGN_DATA"] || stateFolder(env);
}
