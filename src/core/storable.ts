/**
 * Whether every store gives this id or key back as it is, and takes it for no other: databases cut a text at NUL or refuse it,
 * and write half a surrogate pair as something else, so that two keys would become one.
 */
export function isStorable(key: unknown): key is string {
  return typeof key === "string" && !key.includes("\0") && key.isWellFormed();
}
