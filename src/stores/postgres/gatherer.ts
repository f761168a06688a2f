import type { Kind, StoredRecord } from "../../core/ports.js";
import { KIND_CODES } from "../kind-codes.js";
import { packId } from "./ids.js";
import { type RecordRow, toStored } from "./rows.js";
import type { Statements } from "./statements.js";

interface Asked {
  readonly kind: Kind;
  readonly id: string;
  readonly resolve: (record: StoredRecord | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** One trip to the server serves every record that is asked for in the same turn of the event loop. */
export class Gatherer {
  readonly #statements: Statements;
  #asked: Asked[] = [];

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#asked.push({ kind, id, resolve, reject }) === 1) setImmediate(() => void this.#fetch());
    });
  }

  async #fetch(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const rows = await this.#statements.read<RecordRow & { readonly i: string }>("get", [
        asked.map(({ id }) => packId(id)),
        asked.map(({ kind }) => KIND_CODES[kind]),
      ]);
      const found = new Map(rows.map((row) => [Number(row.i) - 1, row]));
      for (const [index, { kind, id, resolve }] of asked.entries()) {
        const row = found.get(index);
        resolve(row && toStored(kind, id, row));
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
