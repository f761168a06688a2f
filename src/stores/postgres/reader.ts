import type { Entry, Head, Kind, StoredRecord } from "../../core/ports.js";
import { emptyHead } from "../apply.js";
import { Gatherer } from "../gatherer.js";
import { KIND_CODES } from "../kind-codes.js";
import { Column } from "./column.js";
import { FIRST_ID, LAST_ID, packId } from "./ids.js";
import { type EntryRow, type HeadRow, type RecordRow, toEntry, toHead, toRecord } from "./rows.js";
import type { Statements } from "./statements.js";

interface RecordRef {
  readonly kind: Kind;
  readonly id: string;
}

interface Page {
  readonly index: string;
  readonly after: string;
  readonly limit: number;
}

/** The place of the question that a row answers, from 1. */
interface Numbered {
  readonly i: string;
}

/** Reads, outside of any commit. What the gate asks for with every call is gathered, so that a busy one asks rarely. */
export class Reader {
  readonly #statements: Statements;
  readonly #now: () => number | null;
  readonly #records: Gatherer<RecordRef, StoredRecord | undefined>;
  readonly #lists: Gatherer<Page, readonly StoredRecord[]>;
  readonly #heads: Gatherer<string, Head & { readonly signed?: string }>;

  /** `now` is null where the server's clock counts. */
  constructor(statements: Statements, now: () => number | null) {
    this.#statements = statements;
    this.#now = now;
    this.#records = new Gatherer(
      ({ kind, id }) => `${kind}/${id}`,
      (asked) => this.#fetchRecords(asked),
    );
    this.#lists = new Gatherer(
      ({ index, after, limit }) => JSON.stringify([index, after, limit]),
      (asked) => this.#fetchLists(asked),
    );
    this.#heads = new Gatherer(
      (workspaceId) => workspaceId,
      (asked) => this.#fetchHeads(asked),
    );
  }

  get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    return this.#records.ask({ kind, id });
  }

  list(index: string, after: string, limit: number): Promise<readonly StoredRecord[]> {
    return this.#lists.ask({ index, after, limit });
  }

  async latest(index: string, before: string, limit: number): Promise<readonly StoredRecord[]> {
    const values = [index, before === "" ? LAST_ID : packId(before), limit];
    return (await this.#statements.read<RecordRow>("latest", values)).map(toRecord);
  }

  head(workspaceId: string): Promise<Head & { readonly signed?: string }> {
    return this.#heads.ask(workspaceId);
  }

  async due(kind: Kind, limit: number): Promise<readonly StoredRecord[]> {
    const values = [KIND_CODES[kind], this.#now(), limit];
    return (await this.#statements.read<RecordRow>("due", values)).map(toRecord);
  }

  async count(key: string): Promise<number> {
    const [row] = await this.#statements.read<{ value: string }>("count", [key, this.#now()]);
    return Number(row?.value ?? 0);
  }

  async entries(workspaceId: string, after: number, limit: number): Promise<readonly Entry[]> {
    const rows = await this.#statements.read<EntryRow>("entries", [workspaceId, after, limit]);
    return rows.map((row) => toEntry(workspaceId, row));
  }

  async #fetchRecords(asked: readonly RecordRef[]): Promise<readonly (StoredRecord | undefined)[]> {
    const [ids, kinds] = [new Column("bytea"), new Column('"char"')];
    for (const { kind, id } of asked) {
      ids.id(id);
      kinds.text(KIND_CODES[kind]);
    }
    const values = [ids.done(), kinds.done()];
    const rows = await this.#statements.read<Pick<RecordRow, "version" | "value"> & Numbered>("get", values);
    const found: (StoredRecord | undefined)[] = asked.map(() => undefined);
    for (const { i, version, value } of rows) {
      const { kind, id } = asked[Number(i) - 1] as RecordRef;
      found[Number(i) - 1] = { kind, id, version: Number(version), value };
    }
    return found;
  }

  async #fetchLists(asked: readonly Page[]): Promise<readonly (readonly StoredRecord[])[]> {
    const rows = await this.#statements.read<RecordRow & Numbered>("list", [
      asked.map(({ index }) => index),
      asked.map(({ after }) => (after === "" ? FIRST_ID : packId(after))),
      asked.map(({ limit }) => limit),
    ]);
    const lists = asked.map((): StoredRecord[] => []);
    for (const row of rows) lists[Number(row.i) - 1]?.push(toRecord(row));
    return lists;
  }

  async #fetchHeads(asked: readonly string[]): Promise<readonly (Head & { readonly signed?: string })[]> {
    const rows = await this.#statements.read<HeadRow>("head", [asked]);
    const found = new Map(rows.map((row) => [row.id, row]));
    return asked.map((workspaceId) => {
      const row = found.get(workspaceId);
      return row === undefined ? emptyHead(workspaceId) : toHead(row);
    });
  }
}
