import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { CountersignError } from "../../core/errors.js";
import { sha256Hex } from "../../core/ids.js";
import { canonicalize } from "../../core/json.js";
import { CLIENTS, INSTALL_CLIENTS, problemOf } from "./install-clients.js";
import { asObject, type JsonMap, readJson, writeJson, writeText } from "./install-files.js";

export interface InstallOptions {
  /** The user's state folder: what was there before is kept in it, readable for the user alone. */
  readonly stateFolder: string;
  /** The client's configuration, where it is not in its usual place. */
  readonly configPath?: string;
  /** What starts this program; `mcp`, the kept file and the server's name come after it. */
  readonly command?: readonly [string, ...string[]];
  /** How the gateway reaches its server. Kept beside the servers: clients start programs with little of the environment. */
  readonly connection?: Connection;
}

export interface Connection {
  readonly url: string;
  readonly key: string;
}

export interface Installed {
  readonly configPath: string;
  /** The file that keeps the servers as they were, for the gateway to start. */
  readonly savedPath: string;
  /** The configuration as it was, byte for byte. */
  readonly backupPath: string;
  readonly changed: readonly string[];
  /** Servers that were left as they are, and why. */
  readonly left: readonly { readonly server: string; readonly why: string }[];
}

/**
 * Puts the gateway before each server of a client's configuration, one for each, so that tools keep the names the client knows
 * them by. Servers that stand behind it already stay; running it twice changes nothing but the connection.
 */
export function installGateway(client: string, options: InstallOptions): Installed {
  const { configPath, savedPath, backupPath, key, config } = open(client, options);
  const { command = ["countersign"], connection } = options;
  const servers = { ...asObject(config[key] ?? {}, configPath) };
  const kept = readKept(savedPath);
  const changed: string[] = [];
  const left: { server: string; why: string }[] = [];
  for (const [server, entry] of Object.entries(servers)) {
    const why = isOurs(entry, savedPath) ? "it stands behind the gateway already" : problemOf(entry);
    if (why !== undefined) {
      left.push({ server, why });
      continue;
    }
    kept.mcpServers[server] = entry;
    changed.push(server);
    const [program, ...first] = command;
    const args = [...first, "mcp", "--config", savedPath, "--server", server];
    // Some editors want the kind said.
    const kind = key === "servers" || asEntry(entry)["type"] !== undefined ? { type: "stdio" } : {};
    servers[server] = { ...kind, command: program, args };
  }
  // What was there is safe before anything is changed.
  if (changed.length > 0 && !existsSync(backupPath)) writeText(backupPath, readFileSync(configPath, "utf8"), 0o600);
  if (changed.length > 0 || connection !== undefined) {
    writeJson(savedPath, { ...kept, ...(connection === undefined ? {} : { connection }) }, 0o600);
  }
  if (changed.length > 0) writeJson(configPath, { ...config, [key]: servers });
  return { configPath, savedPath, backupPath, changed, left };
}

/** Gives the client its servers back as they were. What somebody changed since is left alone. */
export function uninstallGateway(client: string, options: InstallOptions): Installed {
  const { configPath, savedPath, backupPath, key, config } = open(client, options);
  const servers = { ...asObject(config[key] ?? {}, configPath) };
  const { mcpServers: saved, ...rest } = readKept(savedPath);
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
  if (changed.length > 0) restore(configPath, { ...config, [key]: servers }, backupPath);
  const kept = Object.entries(saved).filter(([server]) => !changed.includes(server));
  if (kept.length === 0) for (const path of [savedPath, backupPath]) rmSync(path, { force: true });
  else writeJson(savedPath, { ...rest, mcpServers: Object.fromEntries(kept) }, 0o600);
  return { configPath, savedPath, backupPath, changed, left };
}

/** The connection that `installGateway` kept in this file. */
export function keptConnection(savedPath: string): Connection | undefined {
  const { connection } = readKept(savedPath);
  const { url, key } = asEntry(connection);
  return typeof url === "string" && typeof key === "string" ? { url, key } : undefined;
}

/** The text as it was, where it says the same: people's own layout comes back, too. */
function restore(configPath: string, content: JsonMap, backupPath: string): void {
  const before = existsSync(backupPath) ? readJson(backupPath) : undefined;
  const same = before !== undefined && canonicalize(before) === canonicalize(content);
  if (same) writeText(configPath, readFileSync(backupPath, "utf8"));
  else writeJson(configPath, content);
}

function open(client: string, { stateFolder, configPath: given }: InstallOptions) {
  const known = Object.hasOwn(CLIENTS, client) ? CLIENTS[client] : undefined;
  if (known === undefined && given === undefined) {
    const names = INSTALL_CLIENTS.join(", ");
    throw wrong(`"${client}" is not a client known here (${names}). Name its configuration file instead.`);
  }
  const configPath = resolve(given ?? known?.path() ?? "");
  if (!existsSync(configPath)) throw wrong(`There is no configuration at ${configPath}.`);
  const config = readJson(configPath);
  const key = known?.key ?? ("servers" in config && !("mcpServers" in config) ? "servers" : "mcpServers");
  // Each configuration has files of its own: two projects may both have a server of one name.
  const kept = join(stateFolder, "mcp", `${client}-${sha256Hex(configPath).slice(0, 8)}`);
  return { configPath, savedPath: `${kept}.json`, backupPath: `${kept}.backup`, key, config };
}

function isOurs(entry: unknown, savedPath: string): boolean {
  const { args } = asEntry(entry);
  return Array.isArray(args) && args.includes(savedPath) && args.includes("mcp");
}

function asEntry(value: unknown): JsonMap {
  return value !== null && typeof value === "object" ? (value as JsonMap) : {};
}

function readKept(path: string): JsonMap & { readonly mcpServers: JsonMap } {
  const kept = existsSync(path) ? readJson(path) : {};
  return { ...kept, mcpServers: asObject(kept["mcpServers"] ?? {}, path) };
}

function wrong(message: string): CountersignError {
  return new CountersignError("invalid_request", message);
}
