export type Id = string | Uint8Array;

/** Where the two digits of each byte begin. */
const DIGITS_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const DASHES_AT = [8, 13, 18, 23] as const;
const VALUES = new Map([..."0123456789abcdef"].map((digit, value) => [digit.charCodeAt(0), value]));
const DIGITS = Int8Array.from({ length: 128 }, (_, code) => VALUES.get(code) ?? -1);

let last: { readonly id: string; readonly packed: Id } = { id: "", packed: "" };

/** UUIDs take 16 bytes instead of 36; any other id is kept as it is. A change names its record five times in a row. */
export function packId(id: string): Id {
  if (id === last.id) return last.packed;
  const packed = packUuid(id) ?? id;
  last = { id, packed };
  return packed;
}

/** By hand: a regular expression and a decoder take seven times as long. */
function packUuid(id: string): Uint8Array | undefined {
  if (id.length !== 36 || DASHES_AT.some((at) => id[at] !== "-")) return undefined;
  const bytes = Buffer.allocUnsafe(16);
  for (let index = 0; index < 16; index++) {
    const at = DIGITS_AT[index] as number;
    const high = DIGITS[id.charCodeAt(at)] ?? -1;
    const low = DIGITS[id.charCodeAt(at + 1)] ?? -1;
    if (high < 0 || low < 0) return undefined;
    bytes[index] = high * 16 + low;
  }
  return bytes;
}

export function unpackId(id: Id): string {
  if (typeof id === "string") return id;
  const hex = Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
