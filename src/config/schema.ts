import { z } from "zod";

/** A text of this form; one sentence says what is wanted, whatever came instead. */
function text(form: RegExp | ((value: string) => boolean), must: string) {
  return z.string(must).refine(form instanceof RegExp ? (value) => form.test(value) : form, must);
}

const origin = text(isOrigin, "must be an origin such as https://approve.example.com, without a path");

function isOrigin(value: string): boolean {
  try {
    const url = new URL(value);
    return url.origin === value && (url.protocol === "https:" || url.protocol === "http:");
  } catch {
    return false;
  }
}

const hostName = text(
  /^([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/i,
  "must be a host name or address such as approve.internal, without a port",
);
const store = text(
  /^(sqlite(:.+)?|postgres(ql)?:\/\/.+|rediss?:\/\/.+)$/,
  'must be "sqlite", "sqlite:FILE", "postgres://…" or "redis://…"',
);
const identity = text(/^(sqlite(:.+)?|postgres(ql)?:\/\/.+)$/, 'must be "sqlite", "sqlite:FILE" or "postgres://…"');
const path = text(/./, "must be a path");

const SEAL = ["off", "on"] as const;
const PRIVACY = ["minimal", "enhanced"] as const;
const LOG_FORMATS = ["text", "json"] as const;
const LOG_LEVELS = ["silent", "error", "info", "debug"] as const;

function oneOf<const T extends readonly string[]>(words: T) {
  return z.enum(words, `must be ${inWords(words)}`);
}

/** Whole numbers, with one sentence for all that can be wrong with one. */
function whole(min: number, max = Number.MAX_SAFE_INTEGER, unit = "") {
  const range = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
  const must = `must be a whole number${unit}${range}`;
  return z.int(must).min(min, must).max(max, must);
}

function inWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Everything that can be set, whether by file, environment or flag. */
export const configSchema = z.strictObject({
  host: text(/./, "must be an address"),
  port: whole(0, 65_535),
  origins: z.array(origin, "must be a list such as [https://approve.example.com]"),
  allowedHosts: z.array(hostName, "must be a list such as [approve.internal]"),
  data: path,
  store,
  identity: identity.optional(),
  seal: oneOf(SEAL),
  renew: text(/./, "must be the id of a fence").optional(),
  policy: path.optional(),
  channels: path.optional(),
  privacy: oneOf(PRIVACY),
  logFormat: oneOf(LOG_FORMATS),
  logLevel: oneOf(LOG_LEVELS),
  writesPerMinute: whole(0),
  ttl: whole(1, undefined, " of milliseconds"),
  offlineTtl: whole(1, undefined, " of milliseconds"),
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
  store: {
    variable: "COUNTERSIGN_STORE",
    flag: "store",
    help: "where approvals are kept: sqlite, sqlite:FILE, postgres://… or redis://…",
    fallback: "sqlite",
  },
  identity: {
    variable: "COUNTERSIGN_IDENTITY",
    flag: "identity",
    help: "where people and keys are kept; the store's Postgres, or a file in the data folder",
  },
  seal: {
    variable: "COUNTERSIGN_SEAL",
    flag: "seal",
    help: `encrypt what the store keeps: ${inWords(SEAL)}`,
    fallback: "off",
  },
  renew: {
    variable: "COUNTERSIGN_RENEW",
    flag: "renew",
    help: "id of a Redis store's fence that you have looked at: it is taken down, and what is open is cancelled",
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
  privacy: {
    variable: "COUNTERSIGN_PRIVACY",
    flag: "privacy",
    help: `what is kept of calls: ${inWords(PRIVACY)}`,
    fallback: "minimal",
  },
  logFormat: { variable: "COUNTERSIGN_LOG_FORMAT", flag: "log-format", help: inWords(LOG_FORMATS), fallback: "text" },
  logLevel: {
    variable: "COUNTERSIGN_LOG_LEVEL",
    flag: "log-level",
    help: `how much is logged: ${inWords(LOG_LEVELS)}`,
    fallback: "info",
  },
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
