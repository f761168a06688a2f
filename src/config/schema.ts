import { z } from "zod";

const origin = z.string().refine(isOrigin, "is an origin such as https://approve.example.com, without a path");

function isOrigin(text: string): boolean {
  try {
    const url = new URL(text);
    return url.origin === text && (url.protocol === "https:" || url.protocol === "http:");
  } catch {
    return false;
  }
}

const hostName = z
  .string()
  .regex(
    /^([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/i,
    "is a host name or address such as approve.internal, without a port",
  );

const store = z
  .string()
  .regex(
    /^(sqlite(:.+)?|postgres(ql)?:\/\/.+|rediss?:\/\/.+)$/,
    'is "sqlite", "sqlite:FILE", "postgres://…" or "redis://…"',
  );

const identity = z
  .string()
  .regex(/^(sqlite(:.+)?|postgres(ql)?:\/\/.+)$/, 'is "sqlite", "sqlite:FILE" or "postgres://…"');

/** Everything that can be set, whether by file, environment or flag. */
export const configSchema = z.strictObject({
  host: z.string().min(1),
  port: z.int().min(0).max(65_535),
  origins: z.array(origin),
  allowedHosts: z.array(hostName),
  data: z.string().min(1),
  store,
  identity: identity.optional(),
  seal: z.enum(["off", "on"]),
  policy: z.string().min(1).optional(),
  channels: z.string().min(1).optional(),
  privacy: z.enum(["minimal", "enhanced"]),
  logFormat: z.enum(["text", "json"]),
  logLevel: z.enum(["silent", "error", "info", "debug"]),
  writesPerMinute: z.int().min(0),
  ttl: z.int().positive(),
  offlineTtl: z.int().positive(),
});
export type Config = z.output<typeof configSchema>;
export type ConfigKey = keyof Config;

/** What each setting is for, how it is named elsewhere, and what holds when nobody says anything. */
export const SETTINGS: Readonly<
  Record<
    ConfigKey,
    { readonly variable: string; readonly flag: string; readonly help: string; readonly fallback?: string }
  >
> = {
  host: { variable: "COUNTERSIGN_HOST", flag: "host", help: "address to listen at", fallback: "127.0.0.1" },
  port: {
    variable: "COUNTERSIGN_PORT",
    flag: "port",
    help: "port to listen at; 0 takes any free one",
    fallback: "4747",
  },
  origins: {
    variable: "COUNTERSIGN_ORIGINS",
    flag: "origins",
    help: "where people meet the server, comma between several",
    fallback: "",
  },
  allowedHosts: {
    variable: "COUNTERSIGN_ALLOWED_HOSTS",
    flag: "allowed-hosts",
    help: "further host names that requests may come under, comma between several",
    fallback: "",
  },
  data: { variable: "COUNTERSIGN_DATA", flag: "data", help: "folder for databases and keys, for its owner alone" },
  store: { variable: "COUNTERSIGN_STORE", flag: "store", help: "where approvals are kept", fallback: "sqlite" },
  identity: {
    variable: "COUNTERSIGN_IDENTITY",
    flag: "identity",
    help: "where people and keys are kept; the store's Postgres, or a file in the data folder",
  },
  seal: {
    variable: "COUNTERSIGN_SEAL",
    flag: "seal",
    help: "encrypt what the store keeps: on or off",
    fallback: "off",
  },
  policy: {
    variable: "COUNTERSIGN_POLICY",
    flag: "policy",
    help: "policy file; countersign.policy.yaml in the data folder",
  },
  channels: {
    variable: "COUNTERSIGN_CHANNELS",
    flag: "channels",
    help: "file with chat channels; countersign.channels.yaml in the data folder",
  },
  privacy: { variable: "COUNTERSIGN_PRIVACY", flag: "privacy", help: "what is kept of calls", fallback: "minimal" },
  logFormat: { variable: "COUNTERSIGN_LOG_FORMAT", flag: "log-format", help: "text or json", fallback: "text" },
  logLevel: { variable: "COUNTERSIGN_LOG_LEVEL", flag: "log-level", help: "how much is logged", fallback: "info" },
  writesPerMinute: {
    variable: "COUNTERSIGN_WRITES_PER_MINUTE",
    flag: "writes-per-minute",
    help: "writes of one agent or person in a minute",
    fallback: "10",
  },
  ttl: { variable: "COUNTERSIGN_TTL", flag: "ttl", help: "milliseconds to decide", fallback: "300000" },
  offlineTtl: {
    variable: "COUNTERSIGN_OFFLINE_TTL",
    flag: "offline-ttl",
    help: "milliseconds to decide when nobody is connected",
    fallback: "1800000",
  },
};
