import { CountersignError } from "../../core/errors.js";
import type { Promises } from "../../core/ports.js";
import { type Connection, pairsOf } from "./connection.js";

/** What the server says about itself. Settings that it does not tell are unknown, and what is unknown is promised to nobody. */
export interface Server {
  readonly version: string;
  readonly role: string;
  readonly cluster: boolean;
  readonly replicas: number;
  readonly settings: Readonly<Record<Setting, string | undefined>>;
}

const SETTINGS = ["appendonly", "appendfsync", "no-appendfsync-on-rewrite", "maxmemory-policy"] as const;
type Setting = (typeof SETTINGS)[number];

async function inspect(connection: Connection): Promise<Server> {
  const info = new Map(
    String(await connection.send("INFO", "everything"))
      .split("\r\n")
      .map((line) => line.split(":") as [string, string]),
  );
  const settings = await Promise.all(SETTINGS.map((name) => setting(connection, name)));
  return {
    version: info.get("redis_version") ?? "0",
    role: info.get("role") ?? "unknown",
    cluster: info.get("cluster_enabled") === "1",
    replicas: Number(info.get("connected_slaves") ?? 0),
    settings: Object.fromEntries(SETTINGS.map((name, i) => [name, settings[i]])) as Server["settings"],
  };
}

/** Hosted servers often keep their settings to themselves. */
async function setting(connection: Connection, name: Setting): Promise<string | undefined> {
  try {
    const found = pairsOf(await connection.send("CONFIG", "GET", name)).find(([key]) => key === name);
    return found === undefined ? undefined : String(found[1]);
  } catch (error) {
    if (error instanceof CountersignError) throw error;
    return undefined;
  }
}

/** The server as it describes itself. Rejects one on which nothing may be kept. */
export async function fitServer(connection: Connection): Promise<Server> {
  const server = await inspect(connection);
  const problem = unfit(server);
  if (problem === undefined) return server;
  throw new CountersignError("store_failed", `The Redis store cannot work on this server. ${problem}`);
}

function unfit({ version, role, cluster, settings }: Server): string | undefined {
  if (Number.parseInt(version, 10) < 7) return `It needs Redis 7 or newer; this is ${version}.`;
  if (role !== "master") return `It writes to one primary; this server's role is ${role}.`;
  if (cluster) return "It needs one primary; this server is part of a cluster, where one commit cannot span its keys.";
  const policy = settings["maxmemory-policy"];
  if (policy !== undefined && policy !== "noeviction") {
    return `With maxmemory-policy ${policy} Redis may drop marks that say what has run. Set it to noeviction.`;
  }
  return undefined;
}

/** What holds on this server, in words for a start screen. */
export function promisesOf(server: Server): Promises {
  const weakness = weaknessOf(server);
  const kept =
    weakness === undefined
      ? "Kept in Redis: what was acknowledged survives a crash and a power cut of this server."
      : `Kept in Redis, and not durable: ${weakness}`;
  const replicated =
    server.replicas > 0
      ? " After a failover to a replica the last acknowledged steps may be missing; instances that saw them then stop."
      : "";
  return { engine: "redis", durable: weakness === undefined, shared: true, text: kept + replicated };
}

/** Said to whoever runs the process, before anything is kept. */
export function warnIfWeak({ durable, text }: Promises): void {
  if (!durable) process.emitWarning(text, { code: "COUNTERSIGN_NOT_DURABLE" });
}

function weaknessOf({ settings }: Server): string | undefined {
  const { appendonly, appendfsync } = settings;
  if (appendonly === undefined || appendfsync === undefined)
    return "this server does not tell how it persists, so that nothing is promised.";
  if (appendonly !== "yes")
    return "appendonly is off, so that a restart loses what was acknowledged since the last snapshot.";
  if (appendfsync !== "always")
    return `appendfsync is ${appendfsync}, so that a power cut loses about the last second of what was acknowledged. Set it to always.`;
  if (settings["no-appendfsync-on-rewrite"] === "yes")
    return "no-appendfsync-on-rewrite is on, so that while the log is rewritten nothing is flushed. Turn it off.";
  return undefined;
}
