export type Id = string | Uint8Array;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let last: { readonly id: string; readonly packed: Id } = { id: "", packed: "" };

/** UUIDs take 16 bytes instead of 36; any other id is kept as it is. A change names its record five times in a row. */
export function packId(id: string): Id {
  if (id === last.id) return last.packed;
  const packed = id.length === 36 && UUID.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : id;
  last = { id, packed };
  return packed;
}

export function unpackId(id: Id): string {
  if (typeof id === "string") return id;
  const hex = Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
