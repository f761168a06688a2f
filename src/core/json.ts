import { JsonError } from "./json-error.js";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Containers inside one another: `[]` is one deep. */
export const MAX_JSON_DEPTH = 64;
/** Of the text, in UTF-8. */
export const MAX_JSON_BYTES = 1_048_576;

/** From here on a double is written with an exponent, which says by itself that it is rounded. */
const FIRST_EXPONENT_FORM = 1e21;
/** Anything but what stands in a JSON string as it is: control characters, quote, backslash, surrogates. */
const NEEDS_CARE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
/** Texts up to here are far from every limit. */
const SHORT = 1_024;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The one text of a JSON value (RFC 8785): equal values give equal bytes, whatever the order of their keys. -0 is written 0.
 * Throws JsonError for everything that is not plain JSON or that another reader could take for something else.
 * Each property is read once, so that a proxy cannot show one value here and another there. It has one parameter, so that it may be
 * handed to whatever goes through a list.
 */
export function canonicalize(value: unknown): string {
  return canonicalWithin(0, value);
}

/** The same for a text that will stand in so many levels. */
export function canonicalWithin(levels: number, value: unknown): string {
  // Nearly all that entries hold: a short text that stands as it is needs no writer. A cycle has about fifty of them.
  if (typeof value === "string" && value.length < SHORT && !NEEDS_CARE.test(value)) return `"${value}"`;
  const writer = new CanonicalWriter(levels);
  try {
    return checkSize(writer.write(value));
  } catch (error) {
    if (error instanceof JsonError) throw error;
    // only a proxy's trap can throw here; its message is not ours to pass on
    throw writer.refusal("the value cannot be read.");
  }
}

/** A text as it stands in JSON. */
export function quoted(text: string): string {
  return NEEDS_CARE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/**
 * The same text in one piece. V8 keeps a text that was put together as a tree of its parts; one that waits for a store would be
 * carried along, part by part, by every collection meanwhile.
 */
export function inOnePiece(text: string): string {
  // To give any character of it, V8 has to lay them side by side first.
  text.charCodeAt(text.length - 1);
  return text;
}

/** Validates, copies and freezes: the result shares nothing with the input and its keys stand in canonical order. */
export function toPlainJson(value: unknown): Json {
  // canonical text has no duplicate keys, no `__proto__` and no inexact number: the native parser reads it faithfully
  return freezeJson(JSON.parse(canonicalize(value)) as Json);
}

export function jsonEqual(a: unknown, b: unknown): boolean {
  return canonicalize(a) === canonicalize(b);
}

/** Freezes the value itself, with all it holds. */
export function freezeJson<T extends Json>(value: T): T {
  freezeAt(value, 1);
  return value;
}

/** True for a double that may have been another integer in the text it came from. */
export function isInexactInteger(value: number): boolean {
  const size = Math.abs(value);
  return size > Number.MAX_SAFE_INTEGER && size < FIRST_EXPONENT_FORM;
}

export function exceedsMaxBytes(text: string): boolean {
  // a UTF-16 unit takes one to three bytes: most texts need no counting
  if (text.length > MAX_JSON_BYTES) return true;
  return text.length * 3 > MAX_JSON_BYTES && Buffer.byteLength(text) > MAX_JSON_BYTES;
}

/** The text, if it is no larger than one may be. */
export function checkSize(text: string): string {
  if (exceedsMaxBytes(text)) throw tooLarge();
  return text;
}

function tooLarge(): JsonError {
  return new JsonError(`the value is larger than ${MAX_JSON_BYTES} bytes.`, []);
}

function freezeAt(value: Json, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_JSON_DEPTH) throw new JsonError(`more than ${MAX_JSON_DEPTH} levels deep.`, []);
  Object.freeze(value);
  for (const item of Array.isArray(value) ? value : Object.values(value)) freezeAt(item, depth + 1);
}

class CanonicalWriter {
  /** Keys from the top to where the writer stands; entries at `depth` and beyond are left from earlier branches. */
  readonly #path: (string | number)[] = [];
  readonly #top: number;
  #depth: number;
  /** UTF-16 units written so far, a lower bound of bytes: a small value that repeats itself can unfold without end. */
  #length = 0;

  constructor(top: number) {
    this.#top = top;
    this.#depth = top;
  }

  write(value: unknown): string {
    switch (typeof value) {
      case "string":
        return this.#string(value, "the string");
      case "number":
        return this.#number(value);
      case "boolean":
        return this.#counted(value ? "true" : "false");
      case "object":
        if (value === null) return this.#counted("null");
        return Array.isArray(value) ? this.#array(value) : this.#object(value);
      case "bigint":
        throw this.refusal("a bigint is not JSON; send it as a string.");
      default:
        throw this.refusal(`${typeof value} is not JSON.`);
    }
  }

  refusal(problem: string): JsonError {
    return new JsonError(problem, this.#path.slice(this.#top, this.#depth));
  }

  #string(value: string, what: string): string {
    if (value.length > MAX_JSON_BYTES) throw tooLarge();
    if (!NEEDS_CARE.test(value)) return this.#counted(`"${value}"`);
    if (LONE_SURROGATE.test(value)) throw this.refusal(`${what} holds half of a surrogate pair.`);
    return this.#counted(JSON.stringify(value));
  }

  #number(value: number): string {
    if (!Number.isFinite(value)) throw this.refusal("the number is not finite.");
    if (isInexactInteger(value)) throw this.refusal("the integer is beyond ±(2^53−1); send it as a string.");
    return this.#counted(String(value));
  }

  #array(items: readonly unknown[]): string {
    if (!isArrayPrototype(Object.getPrototypeOf(items))) throw this.refusal("an instance of a class is not JSON.");
    const count = items.length;
    if (count > MAX_JSON_BYTES / 2) throw tooLarge();
    // own keys come as 0, 1, 2 …, then `length`, then any others: so many before `length` means no hole and no extra
    const keys = Reflect.ownKeys(items);
    if (keys.length !== count + 1 || keys[count] !== "length")
      throw this.refusal("an array has holes or properties besides its items.");
    this.#enter();
    let text = "[";
    for (let index = 0; index < count; index++) {
      this.#path[this.#depth - 1] = index;
      if (index > 0) text += ",";
      text += this.write(this.#ownValue(items, index));
    }
    this.#depth--;
    this.#grow(count + 1);
    return `${text}]`;
  }

  #object(object: object): string {
    if (!isObjectPrototype(Object.getPrototypeOf(object))) throw this.refusal("an instance of a class is not JSON.");
    const keys = Reflect.ownKeys(object);
    if (!areStrings(keys)) throw this.refusal("an object has a symbol as key.");
    this.#enter();
    let text = "{";
    for (const key of sortKeys(keys)) {
      this.#path[this.#depth - 1] = key;
      if (key === "__proto__") throw this.refusal('the key "__proto__" is refused.');
      if (text.length > 1) text += ",";
      text += this.#string(key, "the key");
      text += ":";
      text += this.write(this.#ownValue(object, key));
    }
    this.#depth--;
    this.#grow(2 * keys.length + 1);
    return `${text}}`;
  }

  /** Reads through the descriptor: the only way that runs no getter and touches a proxy once. */
  #ownValue(holder: object, key: string | number): unknown {
    const property = Object.getOwnPropertyDescriptor(holder, key);
    if (property === undefined) throw this.refusal("the property vanished while it was read.");
    if (property.get || property.set) throw this.refusal("a getter or setter is not JSON.");
    if (!property.enumerable) throw this.refusal("a hidden property is not JSON.");
    return property.value;
  }

  #enter(): void {
    if (this.#depth === MAX_JSON_DEPTH) throw this.refusal(`more than ${MAX_JSON_DEPTH} levels deep, or a cycle.`);
    this.#depth++;
  }

  #counted(text: string): string {
    this.#grow(text.length);
    return text;
  }

  #grow(units: number): void {
    this.#length += units;
    if (this.#length > MAX_JSON_BYTES) throw tooLarge();
  }
}

function areStrings(keys: (string | symbol)[]): keys is string[] {
  for (const key of keys) if (typeof key !== "string") return false;
  return true;
}

/** Sorts in place by UTF-16 units, as RFC 8785 asks. For the few keys of most objects insertion beats the native sort. */
export function sortKeys(keys: string[]): string[] {
  if (keys.length > 16) return keys.sort();
  for (let end = 1; end < keys.length; end++) {
    const key = keys[end] as string;
    let at = end;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}

/**
 * Plain objects of other realms (`vm`, test runners) are plain too: their prototype ends the chain and carries the
 * methods of Object. An imitation gains nothing, for only own data properties are ever read.
 */
function isObjectPrototype(prototype: object | null): boolean {
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty");
}

/** Array.prototype is itself an array in every realm; the prototype of a subclass is not. */
function isArrayPrototype(prototype: object | null): boolean {
  if (prototype === Array.prototype) return true;
  return Array.isArray(prototype) && isObjectPrototype(Object.getPrototypeOf(prototype));
}
