import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { CountersignError } from "../core/errors.js";
import { type Config, type ConfigKey, configSchema, SETTINGS } from "./schema.js";
import { dataFolder } from "./state-folder.js";

/** Where a value came from. */
type Origin = "default" | "file" | "environment" | "flag";

export interface LoadedConfig {
  readonly config: Config;
  readonly origins: Readonly<Record<ConfigKey, Origin>>;
  /** The file that was read, if there is one. */
  readonly file?: string;
}

export interface ConfigSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By the names of `Config`, as texts. */
  readonly flags?: Readonly<Partial<Record<string, string>>>;
  /** A file that must be there; otherwise `countersign.config.yaml` of the data folder, when it exists. */
  readonly file?: string;
}

const KEYS = Object.keys(SETTINGS) as ConfigKey[];

/** Flag over environment over file over default; one schema for all. Throws with every problem, each with its place. */
export function loadConfig({ environment, flags = {}, file }: ConfigSources): LoadedConfig {
  const data = flags["data"] ?? dataFolder(environment);
  const path = file ?? join(data, "countersign.config.yaml");
  const written = file !== undefined || existsSync(path) ? readConfigFile(path) : undefined;
  const values: Record<string, unknown> = {};
  const origins = {} as Record<ConfigKey, Origin>;
  for (const key of KEYS) {
    const { variable, fallback } = SETTINGS[key];
    const fromEnvironment = given(environment[variable]);
    const [value, origin] =
      flags[key] !== undefined
        ? [fromText(key, flags[key]), "flag" as const]
        : fromEnvironment !== undefined
          ? [fromText(key, fromEnvironment), "environment" as const]
          : written !== undefined && Object.hasOwn(written, key)
            ? [written[key], "file" as const]
            : [
                key === "data" ? data : fallback === undefined ? undefined : fromText(key, fallback),
                "default" as const,
              ];
    if (value !== undefined) values[key] = value;
    origins[key] = origin;
  }
  const unknown = Object.keys(written ?? {}).filter((key) => !KEYS.includes(key as ConfigKey));
  const read = configSchema.safeParse(values);
  const problems = [
    ...unknown.map((key) => `${path}: there is no setting "${key}". Known: ${KEYS.join(", ")}.`),
    ...slips(environment),
    ...(read.error?.issues ?? []).map(({ path: [name, item], message }) => {
      const key = String(name) as ConfigKey;
      const which = typeof item === "number" ? `, item ${item + 1}` : "";
      return `${placeOf(key, origins[key], path)}${which}: ${message}.`;
    }),
  ];
  if (problems.length > 0 || !read.success) throw new CountersignError("invalid_request", problems.join("\n"));
  return {
    config: { ...read.data, data: resolve(read.data.data) },
    origins,
    ...(written === undefined ? {} : { file: path }),
  };
}

const VARIABLES = KEYS.map((key) => SETTINGS[key].variable);

/** A variable that is a slip of the keyboard away from one of ours is refused: a policy that is not read would be missed. */
function slips(environment: ConfigSources["environment"]): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith("COUNTERSIGN_") || VARIABLES.includes(name)) return [];
    const meant = VARIABLES.find((variable) => isSlipOf(name, variable));
    return meant === undefined ? [] : [`${name}: there is no such setting. Did you mean ${meant}?`];
  });
}

/** One letter too many, too few or wrong, or two neighbours swapped. */
function isSlipOf(typed: string, meant: string): boolean {
  let start = 0;
  while (start < typed.length && typed[start] === meant[start]) start += 1;
  const [a, b] = [typed.slice(start), meant.slice(start)];
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || a === `${b[1]}${b[0]}${b.slice(2)}`;
}

function given(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}

const LISTS: readonly ConfigKey[] = ["origins", "allowedHosts"];
const NUMBERS: readonly ConfigKey[] = ["port", "writesPerMinute", "ttl", "offlineTtl"];

function fromText(key: ConfigKey, text: string): unknown {
  if (LISTS.includes(key))
    return text
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "");
  if (!NUMBERS.includes(key)) return text;
  // Not a number stays a text, so that the schema says what is wrong with it.
  return /^[0-9]+$/.test(text) ? Number(text) : text;
}

function placeOf(key: ConfigKey, origin: Origin | undefined, file: string): string {
  if (origin === "environment") return SETTINGS[key].variable;
  if (origin === "flag") return `--${SETTINGS[key].flag}`;
  return origin === "file" ? `${file}, ${key}` : key;
}

export function readConfigFile(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new CountersignError("invalid_request", `The configuration file ${path} cannot be read.`, { cause });
  }
  let read: unknown;
  try {
    read = parse(text, { uniqueKeys: true });
  } catch (cause) {
    throw new CountersignError("invalid_request", `${path} is not YAML: ${(cause as Error).message}`, { cause });
  }
  if (read === null || read === undefined) return {};
  if (typeof read !== "object" || Array.isArray(read)) {
    throw new CountersignError("invalid_request", `${path} must hold settings, one "name: value" on each line.`);
  }
  return read as Record<string, unknown>;
}
