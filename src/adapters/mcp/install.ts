import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CountersignError } from "../../core/errors.js";

type Entry = Record<string, unknown>;
type Config = Record<string, unknown>;

/** Where known clients keep their servers, and under which key. */
const CLIENTS: Readonly<
  Record<string, { readonly key: "mcpServers" | "servers"; readonly path: (home: string) => string }>
> = {
  "claude-desktop": { key: "mcpServers", path: claudeDesktop },
  "claude-code": { key: "mcpServers", path: (home) => join(home, ".claude.json") },
  cursor: { key: "mcpServers", path: (home) => join(home, ".cursor", "mcp.json") },
  windsurf: { key: "mcpServers", path: (home) => join(home, ".codeium", "windsurf", "mcp_config.json") },
  vscode: { key: "servers", path: () => join(".vscode", "mcp.json") },
};

export const INSTALL_CLIENTS: readonly string[] = Object.keys(CLIENTS);

export interface InstallOptions {
  /** The user's state folder: the servers as they were are kept there, readable for the user alone. */
  readonly stateFolder: string;
  /** The client's configuration, where it is not in its usual place. */
  readonly configPath?: string;
  /** What starts this program; `mcp`, the kept file and the server's name come after it. */
  readonly command?: readonly [string, ...string[]];
}

export interface Installed {
  readonly configPath: string;
  /** The file that keeps the servers as they were. */
  readonly savedPath: string;
  readonly changed: readonly string[];
  /** Servers that were left as they are, and why. */
  readonly left: readonly { readonly server: string; readonly why: string }[];
}

/**
 * Puts the gateway before each server of a client's configuration, one for each, so that tools keep the names the client knows
 * them by. Servers that stand behind it already stay; running it twice changes nothing.
 */
export function installGateway(client: string, options: InstallOptions): Installed {
  const { configPath, savedPath, key, config } = open(client, options);
  const { command = ["countersign"] } = options;
  const servers = { ...asObject(config[key] ?? {}, configPath) };
  const saved = readSaved(savedPath);
  const changed: string[] = [];
  const left: { server: string; why: string }[] = [];
  for (const [server, entry] of Object.entries(servers)) {
    const why = isOurs(entry, savedPath) ? "it stands behind the gateway already" : problemOf(entry);
    if (why !== undefined) {
      left.push({ server, why });
      continue;
    }
    saved[server] = entry;
    changed.push(server);
    const [program, ...first] = command;
    const args = [...first, "mcp", "--config", savedPath, "--server", server];
    // Some editors want the kind said, and say it themselves where they do.
    servers[server] = { ...(asEntry(entry)["type"] === undefined ? {} : { type: "stdio" }), command: program, args };
  }
  if (changed.length > 0) {
    // What was there is safe before anything is changed.
    write(savedPath, { mcpServers: saved }, 0o600);
    write(configPath, { ...config, [key]: servers });
  }
  return { configPath, savedPath, changed, left };
}

/** Gives the client its servers back as they were. What somebody changed since is left alone. */
export function uninstallGateway(client: string, options: InstallOptions): Installed {
  const { configPath, savedPath, key, config } = open(client, options);
  const servers = { ...asObject(config[key] ?? {}, configPath) };
  const saved = readSaved(savedPath);
  const changed: string[] = [];
  const left: { server: string; why: string }[] = [];
  for (const [server, original] of Object.entries(saved)) {
    if (!Object.hasOwn(servers, server)) left.push({ server, why: "it is not in the configuration any more" });
    else if (!isOurs(servers[server], savedPath)) left.push({ server, why: "it was changed since" });
    else {
      servers[server] = original;
      changed.push(server);
    }
  }
  if (changed.length > 0) write(configPath, { ...config, [key]: servers });
  const kept = Object.entries(saved).filter(([server]) => !changed.includes(server));
  if (kept.length === 0) rmSync(savedPath, { force: true });
  else write(savedPath, { mcpServers: Object.fromEntries(kept) }, 0o600);
  return { configPath, savedPath, changed, left };
}

function open(client: string, { stateFolder, configPath: given }: InstallOptions) {
  const known = Object.hasOwn(CLIENTS, client) ? CLIENTS[client] : undefined;
  if (known === undefined && given === undefined) {
    const names = INSTALL_CLIENTS.join(", ");
    throw wrong(`"${client}" is not a client known here (${names}). Name its configuration file instead.`);
  }
  const configPath = given ?? known?.path(homedir()) ?? "";
  if (!existsSync(configPath)) throw wrong(`There is no configuration at ${configPath}.`);
  const config = readJson(configPath);
  const key = known?.key ?? ("servers" in config && !("mcpServers" in config) ? "servers" : "mcpServers");
  return { configPath, savedPath: join(stateFolder, "mcp", `${client}.json`), key, config };
}

function claudeDesktop(home: string): string {
  const file = "claude_desktop_config.json";
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "Claude", file);
  if (process.platform === "win32")
    return join(process.env["APPDATA"] ?? join(home, "AppData", "Roaming"), "Claude", file);
  return join(home, ".config", "Claude", file);
}

function isOurs(entry: unknown, savedPath: string): boolean {
  const { args } = asEntry(entry);
  return Array.isArray(args) && args.includes(savedPath) && args.includes("mcp");
}

/** Why a server cannot be started by anybody but its client. */
function problemOf(entry: unknown): string | undefined {
  const { command, url, serverUrl, httpUrl } = asEntry(entry);
  if ([command, url, serverUrl, httpUrl].every((start) => typeof start !== "string"))
    return "it has neither a command nor a url";
  return JSON.stringify(entry).includes("${input:")
    ? "its client asks for some of its values when it starts"
    : undefined;
}

function asEntry(value: unknown): Entry {
  return value !== null && typeof value === "object" ? (value as Entry) : {};
}

function asObject(value: unknown, path: string): Record<string, unknown> {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong(`The servers in ${path} are not an object; nothing was changed.`);
}

function readSaved(path: string): Record<string, unknown> {
  return existsSync(path) ? asObject(readJson(path)["mcpServers"] ?? {}, path) : {};
}

function readJson(path: string): Config {
  try {
    return asObject(JSON.parse(readFileSync(path, "utf8")), path);
  } catch (cause) {
    if (cause instanceof CountersignError) throw cause;
    throw new CountersignError("invalid_request", `${path} cannot be read as JSON; nothing was changed.`, { cause });
  }
}

/** In one step, so that a client never reads half of it. A file that was there keeps its mode. */
function write(path: string, content: Config, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.countersign-${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: mode ?? 0o600 });
  if (mode === undefined && existsSync(path)) chmodSync(draft, statSync(path).mode);
  renameSync(draft, path);
}

function wrong(message: string): CountersignError {
  return new CountersignError("invalid_request", message);
}
