import { exceedsMaxBytes, isInexactInteger, type Json, MAX_JSON_BYTES, MAX_JSON_DEPTH } from "./json.js";
import { JsonError, shownKey, type TextPlace } from "./json-error.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const HEX4 = /[0-9a-fA-F]{4}/y;
const ESCAPES = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }),
);

/**
 * Reads RFC 8259 text and refuses whatever two readers could understand differently: duplicate keys (also when spelt with
 * escapes), `__proto__`, half surrogate pairs, a byte order mark, bytes that are not UTF-8, depth and size over the limits.
 *
 * Numbers: fractions and exponents round to the nearest double, as everywhere; refused is what loses its identity: not
 * finite (1e400), rounded to nothing (1e-400), an integer written in digits beyond ±(2^53−1), and any double from 2^53 up to
 * 1e21, because its canonical text would be such an integer. -0 is read as 0, the way it is shown and hashed.
 */
export function parseStrictJson(text: string | Uint8Array): Json {
  if (typeof text === "string" ? exceedsMaxBytes(text) : text.byteLength > MAX_JSON_BYTES) {
    throw new JsonError(`the text is larger than ${MAX_JSON_BYTES} bytes.`, []);
  }
  return new StrictReader(typeof text === "string" ? text : decode(text)).document();
}

class StrictReader {
  readonly #text: string;
  #at = 0;
  /** Keys from the top to where the reader stands; entries at `depth` and beyond are left from earlier branches. */
  readonly #path: (string | number)[] = [];
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    if (this.#text.charCodeAt(0) === 0xfeff) throw this.#refusal("a byte order mark is not JSON.");
    this.#skipSpace();
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#refusal("something follows the end of the value.");
    return value;
  }

  #value(): Json {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #object(): Json {
    const object: Record<string, Json> = {};
    this.#enter();
    if (this.#take("}")) return this.#leave(object);
    do {
      this.#skipSpace();
      const start = this.#at;
      const key = this.#key();
      this.#path[this.#depth - 1] = key;
      // refused before it is assigned: on a plain object this key would set the prototype
      if (key === "__proto__") throw this.#refusal('the key "__proto__" is refused.', start);
      if (Object.hasOwn(object, key)) throw this.#refusal(`the key ${shownKey(key)} stands twice.`, start);
      if (!this.#take(":")) throw this.#refusal("a colon was expected after the key.");
      this.#skipSpace();
      object[key] = this.#value();
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#refusal("a comma or the end of the object was expected.");
    return this.#leave(object);
  }

  #key(): string {
    // until the key is known, an error speaks of the object around it
    this.#depth--;
    if (this.#text.charCodeAt(this.#at) !== QUOTE) throw this.#refusal("a key in double quotes was expected.");
    const key = this.#string();
    this.#depth++;
    return key;
  }

  #array(): Json {
    const items: Json[] = [];
    this.#enter();
    if (this.#take("]")) return this.#leave(items);
    do {
      this.#path[this.#depth - 1] = items.length;
      this.#skipSpace();
      items.push(this.#value());
    } while (this.#take(","));
    if (!this.#take("]")) throw this.#refusal("a comma or the end of the array was expected.");
    return this.#leave(items);
  }

  #string(): string {
    let start = ++this.#at;
    let decoded = "";
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === QUOTE) break;
      if (unit === BACKSLASH) {
        decoded += this.#text.slice(start, this.#at) + this.#escape();
        start = this.#at;
      } else if (unit >= 0xd800 && unit <= 0xdfff) {
        if (!isPair(unit, this.#text.charCodeAt(this.#at + 1))) throw this.#halfPair(this.#at);
        this.#at += 2;
      } else if (unit >= 0x20) {
        this.#at++;
      } else {
        throw this.#refusal(Number.isNaN(unit) ? "a string does not end." : "a control character needs an escape.");
      }
    }
    const rest = this.#text.slice(start, this.#at++);
    return decoded === "" ? rest : decoded + rest;
  }

  #escape(): string {
    const start = this.#at;
    const letter = this.#text[start + 1] ?? "";
    const simple = ESCAPES.get(letter);
    this.#at += 2;
    if (simple !== undefined) return simple;
    if (letter !== "u") throw this.#refusal("this escape does not exist in JSON.", start);
    const unit = this.#hexUnit(start);
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    if (!this.#text.startsWith("\\u", this.#at)) throw this.#halfPair(start);
    this.#at += 2;
    const second = this.#hexUnit(this.#at - 2);
    if (!isPair(unit, second)) throw this.#halfPair(start);
    return String.fromCharCode(unit, second);
  }

  #hexUnit(escapeStart: number): number {
    HEX4.lastIndex = this.#at;
    const digits = HEX4.exec(this.#text)?.[0];
    if (digits === undefined) throw this.#refusal("four hexadecimal digits were expected.", escapeStart);
    this.#at += 4;
    return Number.parseInt(digits, 16);
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (!match)
      throw this.#refusal(this.#at < this.#text.length ? "a value was expected." : "the text ends too early.");
    const [literal, fraction, exponent] = match;
    const value = Number(literal);
    if (!Number.isFinite(value)) throw this.#refusal("the number is too large; send it as a string.");
    if (value === 0 && /^[^eE]*[1-9]/.test(literal))
      throw this.#refusal("the number is too small; send it as a string.");
    const inDigits = fraction === undefined && exponent === undefined;
    if (isInexactInteger(value) || (inDigits && !Number.isSafeInteger(value))) {
      throw this.#refusal("the integer is beyond ±(2^53−1); send it as a string.");
    }
    this.#at += literal.length;
    return value === 0 ? 0 : value;
  }

  #word<T extends Json>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#refusal("a value was expected.");
    this.#at += word.length;
    return value;
  }

  #enter(): void {
    if (this.#depth === MAX_JSON_DEPTH) throw this.#refusal(`more than ${MAX_JSON_DEPTH} levels deep.`);
    this.#at++;
    this.#depth++;
  }

  #leave<T extends Json>(value: T): T {
    this.#depth--;
    return value;
  }

  /** Steps over white space and then, if it stands there, over the sign. */
  #take(sign: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  #halfPair(at: number): JsonError {
    return this.#refusal("half of a surrogate pair.", at);
  }

  #refusal(problem: string, at = this.#at): JsonError {
    return new JsonError(problem, this.#path.slice(0, this.#depth), placeIn(this.#text, at));
  }
}

function isPair(first: number, second: number): boolean {
  return first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
}

function placeIn(text: string, at: number): TextPlace {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

function decode(bytes: Uint8Array): string {
  try {
    // ignoreBOM keeps the mark in the text, where it is refused
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const lenient = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    throw new JsonError("the bytes are not UTF-8.", [], placeIn(lenient, firstReplaced(lenient, bytes)));
  }
}

/** Where the decoder put a replacement character that the bytes do not hold. */
function firstReplaced(lenient: string, bytes: Uint8Array): number {
  let at = 0;
  let offset = 0;
  for (const character of lenient) {
    const size = Buffer.byteLength(character);
    const isGenuine = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (character === "\ufffd" && !isGenuine) break;
    at += character.length;
    offset += size;
  }
  return at;
}
