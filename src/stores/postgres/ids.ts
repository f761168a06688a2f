const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_MARK = 1;
/** Sorts before every id, and after. */
export const FIRST_ID = "\\x";
export const LAST_ID = "\\x02";

/**
 * Ids as bytes in Postgres' hex notation: a mark, then the 16 bytes of a UUID or the text itself. The mark keeps the two
 * apart, and UUIDs that grow with time stay in order, so that rows append at the end of an index.
 */
export function packId(id: string): string {
  return id.length === 36 && UUID.test(id)
    ? `\\x01${id.replaceAll("-", "")}`
    : `\\x00${Buffer.from(id).toString("hex")}`;
}

export function unpackId(id: Buffer): string {
  if (id[0] !== UUID_MARK) return id.toString("utf8", 1);
  const hex = id.toString("hex", 1);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
