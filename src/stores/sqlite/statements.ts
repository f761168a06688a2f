import type { Database, Statement } from "./driver.js";

/** All of a list's statements, prepared. */
export function prepareAll<Name extends string>(
  database: Database,
  texts: Readonly<Record<Name, string>>,
): Record<Name, Statement> {
  const prepared = Object.entries<string>(texts).map(([name, text]) => [name, database.prepare(text)]);
  return Object.fromEntries(prepared) as Record<Name, Statement>;
}

/** An entry's key: 2⁴⁰ entries a workspace, eight million workspaces a file. */
export const ENTRY_KEY = "((SELECT n FROM workspace WHERE id = ?) << 40) + ?";

export const HEAD = "SELECT n, seq, hash, time, epoch, paused, signed FROM workspace WHERE id = ?";

/* A key's rows: the records that it lists, and under no id its holder and its counter. */
export const HOLDER = "id = '' AND kind = '='";
export const COUNTER = "id = '' AND kind = '#'";
export const COUNT = `SELECT value, until FROM keyed WHERE key = ? AND ${COUNTER}`;
