import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { CONFORMANCE_TOOLS, serveConformance } from "../../../test/adapters/conformance-server.js";
import { atEnd, openGate } from "../../../test/adapters/mcp-client.js";
import { ROOT } from "../../../test/project/source-scan.js";
import { readServers, startGateway } from "./index.js";

const SUITE = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");
const LOADER = pathToFileURL(join(ROOT, "test", "adapters", "conformance-loader.mjs")).href;

/** The summary of the suite's scenarios: name to passed and failed. */
async function check(url: string): Promise<Record<string, string>> {
  const output = await new Promise<string>((resolve) => {
    // It exits with an error when a scenario fails; which ones did is what is compared.
    execFile(process.execPath, ["--import", LOADER, SUITE, "server", "--url", url], { cwd: ROOT }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const lines = [...output.matchAll(/^[✓✗] ([\w-]+): (\d+ passed, \d+ failed)/gm)];
  return Object.fromEntries(lines.map(([, name = "", counts = ""]) => [name, counts]));
}

describe("the MCP conformance suite", () => {
  it("finds nothing wrong through the gateway, in any scenario that it runs against the bare server", {
    timeout: 180_000,
  }, async () => {
    const server = await serveConformance();
    atEnd(() => server.close());
    const tools = Object.fromEntries(CONFORMANCE_TOOLS.map((name) => [name, { effect: "read" as const }]));
    const gateway = await startGateway({
      gate: openGate(),
      servers: readServers({ mcpServers: { conformance: { url: server.url } } }),
      declare: { conformance: { tools } },
      front: { type: "http" },
    });
    atEnd(() => gateway.close());
    const bare = await check(server.url);
    expect(Object.keys(bare).length).toBeGreaterThan(25);
    const through = await check(gateway.url ?? "");
    expect(Object.keys(through)).toEqual(Object.keys(bare));
    expect(Object.entries(through).filter(([, counts]) => !counts.endsWith(" 0 failed"))).toEqual([]);
  });
});
