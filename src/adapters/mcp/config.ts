import { CountersignError } from "../../core/errors.js";

/** A server as people have it in the `mcpServers` of their client. */
export type ServerSpec =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly type: "http" | "sse"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type Servers = Readonly<Record<string, ServerSpec>>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the servers of a client's configuration: `mcpServers`, or `servers` as some editors call it, or the map itself.
 * `${NAME}`, `${NAME:-default}` and `${env:NAME}` are filled in, as the clients do it.
 */
export function readServers(config: unknown, environment: Environment = process.env): Servers {
  const given = asObject(config, "The configuration");
  const map = asObject(given["mcpServers"] ?? given["servers"] ?? given, "mcpServers");
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, readServer(name, value, environment)] as const),
  );
}

function readServer(name: string, value: unknown, environment: Environment): ServerSpec {
  const entry = asObject(value, `The MCP server "${name}"`);
  const fill = (text: unknown) => expand(name, text, environment);
  if (typeof entry["command"] === "string") {
    const args = entry["args"] ?? [];
    if (!Array.isArray(args)) throw wrong(name, "has args that are not a list");
    return {
      type: "stdio",
      command: fill(entry["command"]),
      args: args.map(fill),
      env: filled(name, entry["env"], fill),
      ...(typeof entry["cwd"] === "string" ? { cwd: fill(entry["cwd"]) } : {}),
    };
  }
  const url = entry["url"] ?? entry["serverUrl"] ?? entry["httpUrl"];
  if (typeof url !== "string") throw wrong(name, "needs a command to start or a url to reach");
  const type = entry["type"] === "sse" ? "sse" : "http";
  return { type, url: fill(url), headers: filled(name, entry["headers"], fill) };
}

function filled(name: string, value: unknown, fill: (text: unknown) => string): Record<string, string> {
  if (value === undefined || value === null) return {};
  const entries = Object.entries(asObject(value, `A field of the MCP server "${name}"`));
  return Object.fromEntries(entries.map(([key, text]) => [key, fill(text)]));
}

const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function expand(name: string, text: unknown, environment: Environment): string {
  if (typeof text !== "string") throw wrong(name, "has a value that is not text");
  return text.replace(VARIABLE, (_whole, variable: string, fallback: string | undefined) => {
    const value = environment[variable] ?? fallback;
    if (value === undefined) throw wrong(name, `needs the environment variable ${variable}, which is not set`);
    return value;
  });
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new CountersignError("invalid_request", `${what} is not an object.`);
  }
  return value as Record<string, unknown>;
}

function wrong(name: string, problem: string): CountersignError {
  return new CountersignError("invalid_request", `The MCP server "${name}" ${problem}.`);
}
