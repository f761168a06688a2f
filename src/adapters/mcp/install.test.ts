import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installGateway, keptConnection, readServers, uninstallGateway } from "./index.js";

const BEFORE = {
  theme: "dark",
  mcpServers: {
    files: { command: "npx", args: ["-y", "server-filesystem", "/home/ann"], env: { TOKEN: "secret" } },
    web: { type: "http", url: "https://mcp.example/mcp", headers: { Authorization: "Bearer ${MCP_TOKEN}" } },
    asks: { command: "x", env: { KEY: "${input:key}" } },
  },
};

describe("installing the gateway before a client's servers", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "countersign-install-"));
    writeFileSync(join(folder, "config.json"), JSON.stringify(BEFORE), { mode: 0o640 });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const options = () => ({ stateFolder: join(folder, "state"), configPath: join(folder, "config.json") });
  const config = () => JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));

  it("wraps each server, keeps its secrets out of the command line, and gives everything back", () => {
    const { changed, left, savedPath } = installGateway("cursor", options());
    expect(changed).toEqual(["files", "web"]);
    expect(left.map(({ server }) => server)).toEqual(["asks"]);
    const after = config();
    expect(after.theme).toBe("dark");
    expect(after.mcpServers.files).toEqual({
      command: "countersign",
      args: ["mcp", "--config", savedPath, "--server", "files"],
    });
    expect(after.mcpServers.web).toMatchObject({ type: "stdio", command: "countersign" });
    expect(JSON.stringify(after)).not.toContain("secret");
    expect(statSync(savedPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "config.json")).mode & 0o777).toBe(0o640);
    const saved = readServers(JSON.parse(readFileSync(savedPath, "utf8")), { MCP_TOKEN: "t" });
    expect(saved["web"]).toMatchObject({ type: "http", headers: { Authorization: "Bearer t" } });

    expect(installGateway("cursor", options()).changed).toEqual([]);
    const connection = { url: "http://localhost:4747", key: "csk_1" };
    expect(installGateway("cursor", { ...options(), connection }).changed).toEqual([]);
    expect(keptConnection(savedPath)).toEqual(connection);
    expect(uninstallGateway("cursor", options()).changed).toEqual(["files", "web"]);
    expect(config()).toEqual(BEFORE);
    expect(existsSync(savedPath)).toBe(false);
  });

  it("keeps the servers of two projects apart, though they have the same names", () => {
    const other = join(folder, "other.json");
    writeFileSync(other, JSON.stringify({ mcpServers: { files: { command: "theirs" } } }));
    installGateway("cursor-project", options());
    installGateway("cursor-project", { ...options(), configPath: other });
    uninstallGateway("cursor-project", options());
    uninstallGateway("cursor-project", { ...options(), configPath: other });
    expect(config()).toEqual(BEFORE);
    expect(JSON.parse(readFileSync(other, "utf8")).mcpServers.files).toEqual({ command: "theirs" });
  });

  it("writes through a link to where the configuration is kept, and leaves the link as it is", () => {
    const link = join(folder, "link.json");
    symlinkSync(join(folder, "config.json"), link);
    installGateway("cursor", { ...options(), configPath: link });
    expect(config().mcpServers.files.command).toBe("countersign");
    uninstallGateway("cursor", { ...options(), configPath: link });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(config()).toEqual(BEFORE);
  });

  it("leaves alone what was changed since", () => {
    installGateway("cursor", options());
    const after = config();
    after.mcpServers.files = { command: "mine" };
    writeFileSync(join(folder, "config.json"), JSON.stringify(after));
    const { changed, left } = uninstallGateway("cursor", options());
    expect(changed).toEqual(["web"]);
    expect(left).toEqual([{ server: "files", why: "it was changed since" }]);
    expect(config().mcpServers.files).toEqual({ command: "mine" });
  });

  it("changes nothing when it cannot read the configuration", () => {
    writeFileSync(join(folder, "config.json"), "{ // not JSON");
    expect(() => installGateway("cursor", options())).toThrow("nothing was changed");
    expect(readFileSync(join(folder, "config.json"), "utf8")).toBe("{ // not JSON");
    expect(() => installGateway("unheard-of", { stateFolder: folder })).toThrow("not a client known here");
  });
});

describe("reading servers as people have them", () => {
  it("fills in variables, and names the one that is missing", () => {
    const env = { A: "1" };
    const servers = readServers({ servers: { s: { command: "run", args: ["${A}", "${B:-two}", "${env:A}"] } } }, env);
    expect(servers["s"]).toMatchObject({ type: "stdio", args: ["1", "two", "1"] });
    expect(() => readServers({ mcpServers: { s: { command: "run", args: ["${C}"] } } }, env)).toThrow(
      "C, which is not set",
    );
    expect(() => readServers({ mcpServers: { s: {} } }, env)).toThrow("needs a command to start or a url");
  });
});
