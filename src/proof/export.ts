import type { Entry, Store } from "../core/ports.js";
import { asciiJson, TABLE_HEADER, toLine, toTableRow } from "./lines.js";

const PAGE = 500;

/** The workspace's chain from the start (or after `after`) to where it ends now, in order. */
export async function* entriesOf(store: Store, workspaceId: string, after = 0): AsyncGenerator<Entry> {
  for (let at = after; ; ) {
    const page = await store.entries(workspaceId, at, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    at = page.at(-1)?.seq ?? at;
  }
}

/**
 * A whole workspace, line by line, each ending in a line feed. `jsonl` is what `verifyExport` reads. `csv` is for people.
 * A sealed chain is exported as it is sealed: verifying needs no key, reading does.
 */
export async function* exportEntries(
  store: Store,
  workspaceId: string,
  options: { readonly format?: "jsonl" | "csv" } = {},
): AsyncGenerator<string> {
  const table = options.format === "csv";
  if (table) yield `${TABLE_HEADER}\r\n`;
  for await (const entry of entriesOf(store, workspaceId)) {
    yield table ? `${toTableRow(entry)}\r\n` : `${asciiJson(toLine(entry))}\n`;
  }
}
