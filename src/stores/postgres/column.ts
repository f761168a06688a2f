import { writeId } from "./ids.js";

/** The types of which arrays are sent, by the numbers that Postgres gives them. */
const TYPES = { bytea: 17, '"char"': 18, bigint: 20, int: 23, text: 25 };
export type ColumnType = keyof typeof TYPES;

/** Number of dimensions, whether there are nulls, type; then, unless it is empty, how many elements there are, from which index. */
const EMPTY_HEADER = 12;
const HEADER = 20;
const FIRST_SIZE = 1_024;
/** A UTF-16 unit takes three bytes at most. */
const UNIT = 3;
const SHORT = 48;
const LAST_ASCII = 127;

/**
 * An array in the form that Postgres has for it on the wire: the server takes each element as it is, where the text of an
 * array is searched for quotes and commas, letter by letter, on both sides. The driver sends any buffer in binary.
 */
export class Column {
  readonly #type: number;
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_SIZE);
  #end = HEADER;
  #length = 0;
  #nulls = 0;

  constructor(type: ColumnType) {
    this.#type = TYPES[type];
  }

  get length(): number {
    return this.#length;
  }

  /** Half a surrogate pair is no character in UTF-8; U+FFFD is written for it, as every store does. */
  text(text: string | undefined): void {
    if (text === undefined) return this.#null();
    this.#begin(text.length * UNIT);
    this.#sized(this.#short(text) ?? this.#bytes.write(text, this.#end + 4));
  }

  id(id: string | undefined): void {
    if (id === undefined) return this.#null();
    this.#begin(1 + id.length * UNIT);
    this.#sized(writeId(id, this.#bytes, this.#end + 4));
  }

  /** As bytes, behind their number in four. */
  counted(text: string): void {
    this.#begin(4 + text.length * UNIT);
    const start = this.#end;
    this.#end += 4;
    const size = this.#short(text) ?? this.#bytes.write(text, this.#end + 4);
    this.#end = start;
    this.#int(4 + size);
    this.#sized(size);
  }

  int(value: number): void {
    this.#begin(4);
    this.#int(4);
    this.#int(value);
  }

  /** A safe integer. */
  bigint(value: number | undefined): void {
    if (value === undefined) return this.#null();
    this.#begin(8);
    this.#int(8);
    this.#int(Math.floor(value / 2 ** 32));
    this.#int(value);
  }

  /** As a parameter of a statement. Nothing may be added any more. */
  done(): Buffer {
    const end = this.#length === 0 ? EMPTY_HEADER : this.#end;
    this.#end = 0;
    for (const word of [this.#length === 0 ? 0 : 1, this.#nulls, this.#type, this.#length, 1]) this.#int(word);
    return this.#bytes.subarray(0, end);
  }

  #null(): void {
    this.#nulls = 1;
    this.#begin(0);
    this.#int(-1);
  }

  /** Room for one more element of at most this many bytes. */
  #begin(most: number): void {
    this.#length++;
    const needed = this.#end + 4 + most;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * needed);
    this.#bytes.copy(grown, 0, 0, this.#end);
    this.#bytes = grown;
  }

  /** Before an element that is written already. */
  #sized(size: number): void {
    this.#int(size);
    this.#end += size;
  }

  /** A few plain letters one by one: calling out to native code takes longer than they do. */
  #short(text: string): number | undefined {
    if (text.length > SHORT) return undefined;
    for (let i = 0, at = this.#end + 4; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > LAST_ASCII) return undefined;
      this.#bytes[at++] = code;
    }
    return text.length;
  }

  /** The last 32 bits of a whole number. */
  #int(value: number): void {
    const bytes = this.#bytes;
    const low = value | 0;
    bytes[this.#end++] = low >>> 24;
    bytes[this.#end++] = low >>> 16;
    bytes[this.#end++] = low >>> 8;
    bytes[this.#end++] = low;
  }
}
