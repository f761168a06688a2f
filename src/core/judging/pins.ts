import { sha256Hex } from "../ids.js";
import { canonicalize, type Json, type JsonObject } from "../json.js";
import { parseUrl } from "../parse-url.js";
import { hostMatches, isUnder, segmentsOf } from "./scope.js";

export const PIN_OPS = ["equals", "prefix", "host", "max", "oneOf"] as const;

/** Narrows a grant to calls whose argument at `path` (`to`, `card.number`, `items.0.id`) is as it says. All pins must hold. */
export interface Pin {
  readonly path: string;
  /**
   * `prefix` goes by segments of an absolute path, `host` by the host of a URL or an e-mail address (`*.example.com` for names
   * below it), `max` is a ceiling for an amount.
   */
  readonly op: (typeof PIN_OPS)[number];
  readonly value: Json;
}

const MAX_PINS = 50;

/** What is wrong with a list of pins; undefined when it is well formed. */
export function pinsProblem(pins: unknown): string | undefined {
  if (!Array.isArray(pins) || pins.length > MAX_PINS) return `Pins are a list of at most ${MAX_PINS}.`;
  for (const pin of pins as readonly Pin[]) {
    if (
      pin === null ||
      typeof pin !== "object" ||
      Object.keys(pin).some((key) => !["path", "op", "value"].includes(key))
    )
      return "A pin is { path, op, value }.";
    if (typeof pin.path !== "string" || pin.path === "" || pin.path === WHOLE)
      return "A pin names the argument it holds, by its path.";
    if (!PIN_OPS.includes(pin.op)) return `A pin's op is one of ${PIN_OPS.join(", ")}.`;
    if (!hasForm(pin)) return `The value of the pin on ${pin.path} does not fit "${pin.op}".`;
  }
  return undefined;
}

function hasForm({ op, value }: Pin): boolean {
  switch (op) {
    case "equals":
      return isJson(value);
    case "prefix":
      return typeof value === "string" && segmentsOf(value) !== undefined;
    case "host":
      return typeof value === "string" && /^(\*\.)?[^\s/@:*]+\.[^\s/@:*]+$/.test(value);
    case "max":
      return typeof value === "number" && Number.isFinite(value) && value >= 0;
    case "oneOf":
      return Array.isArray(value) && value.length > 0 && isJson(value);
    default:
      return op satisfies never;
  }
}

function isJson(value: unknown): boolean {
  try {
    canonicalize(value);
    return value !== undefined;
  } catch {
    return false;
  }
}

/** Whether a call is within all pins. What cannot be read as the pin needs it is not. */
export function pinsHold(pins: readonly Pin[], args: JsonObject): boolean {
  return pins.every((pin) => holds(pin, valueAt(args, pin.path)));
}

/** Holds a call to exactly these arguments, no fewer and no others. By their hash: a grant outlives what it was given for. */
export function pinAll(args: JsonObject): Pin[] {
  return [{ path: WHOLE, op: "equals", value: sha256Hex(canonicalize(args)) }];
}

/** The path of the arguments as a whole. */
export const WHOLE = "*";

function valueAt(args: JsonObject, path: string): Json | undefined {
  if (path === WHOLE) return sha256Hex(canonicalize(args));
  let value: Json | undefined = args;
  for (const key of path.split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

function holds({ op, value }: Pin, actual: Json | undefined): boolean {
  if (actual === undefined) return false;
  switch (op) {
    case "equals":
      return canonicalize(actual) === canonicalize(value);
    case "oneOf":
      return Array.isArray(value) && value.some((one) => canonicalize(one) === canonicalize(actual));
    case "max":
      // A negative amount would turn a payment around.
      return typeof actual === "number" && typeof value === "number" && actual >= 0 && actual <= value;
    case "prefix": {
      const own = typeof actual === "string" ? segmentsOf(actual) : undefined;
      const root = typeof value === "string" ? segmentsOf(value) : undefined;
      return own !== undefined && root !== undefined && isUnder(own, root);
    }
    case "host":
      return (
        typeof actual === "string" && typeof value === "string" && hostMatches(hostOf(actual), value.toLowerCase())
      );
    default:
      return op satisfies never;
  }
}

/** The host that would be reached; empty where readers could differ about it. */
function hostOf(text: string): string {
  const mail = /^[^\s@"<>,;:\\/]+@([a-z0-9.-]+)$/i.exec(text);
  if (mail) return (mail[1] as string).toLowerCase();
  if (/[\\\s]|\p{Cc}/u.test(text) || !/^https?:\/\/[^/]/i.test(text)) return "";
  const url = parseUrl(text);
  return url !== undefined && url.username === "" && url.password === "" ? url.hostname : "";
}
