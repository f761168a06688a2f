import type { Approval } from "../../core/approval.js";
import { loadApproval } from "../../core/engine.js";
import type { Gate } from "../../core/gate.js";
import type { Entry } from "../../core/ports.js";
import { type Happening, happeningOf } from "./happening.js";

const PAGE = 500;
/** Kept at hand, so that a thousand listeners cost one read of the store. */
const RECENT = 2_000;

/** Happenings after one place in the chain, up to another. */
export interface Page {
  readonly happenings: readonly Happening[];
  readonly from: number;
  readonly upTo: number;
}

/**
 * The one reader of a workspace's chain in this process. It looks when it is told to; whoever tells it may forget to, or do it
 * twice, for the chain itself is the truth.
 */
export class Feed {
  readonly workspaceId: string;
  readonly #gate: Gate;
  readonly #recent: { readonly seq: number; readonly happening: Happening | undefined }[] = [];
  #cursor = 0;
  #reading: Promise<void> | undefined;
  #again = false;

  constructor(gate: Gate, workspaceId: string) {
    this.#gate = gate;
    this.workspaceId = workspaceId;
  }

  /** The last entry that was read. */
  get cursor(): number {
    return this.#cursor;
  }

  async open(): Promise<void> {
    this.#cursor = (await this.#gate.head(this.workspaceId)).seq;
  }

  /** Reads what is new and hands each page on before reading the next. A look asked for meanwhile follows. */
  look(onPage: (page: Page) => Promise<void>): Promise<void> {
    if (this.#reading !== undefined) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#advance(onPage).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #advance(onPage: (page: Page) => Promise<void>): Promise<void> {
    do {
      this.#again = false;
      for (;;) {
        const entries = await this.#gate.entries(this.workspaceId, this.#cursor, PAGE);
        if (entries.length === 0) break;
        const read = await this.#read(entries);
        const from = this.#cursor;
        this.#recent.push(...read);
        this.#recent.splice(0, Math.max(0, this.#recent.length - RECENT));
        this.#cursor = read.at(-1)?.seq ?? this.#cursor;
        await onPage({ happenings: present(read), from, upTo: this.#cursor });
      }
    } while (this.#again);
  }

  /** What came after a place, from memory where it is there, else from the chain. Never beyond the cursor. */
  async after(seq: number): Promise<Page> {
    const first = this.#recent[0];
    if (first !== undefined && first.seq <= seq + 1) {
      return { happenings: present(this.#recent.slice(seq + 1 - first.seq)), from: seq, upTo: this.#cursor };
    }
    const wanted = Math.min(PAGE, this.#cursor - seq);
    if (wanted <= 0) return { happenings: [], from: seq, upTo: seq };
    const read = await this.#read(await this.#gate.entries(this.workspaceId, seq, wanted));
    return { happenings: present(read), from: seq, upTo: read.at(-1)?.seq ?? this.#cursor };
  }

  /** Each record is loaded once for all entries that speak of it. */
  async #read(entries: readonly Entry[]) {
    const refs = new Set(entries.map(({ ref }) => ref));
    const approvals = new Map<string, Approval>();
    await Promise.all(
      [...refs].map(async (ref) => {
        const approval = ref === "" ? undefined : await loadApproval({ store: this.#gate.store }, ref);
        // An id is unique, and still: what belongs to another workspace is not told here (I11).
        if (approval?.workspaceId === this.workspaceId) approvals.set(ref, approval);
      }),
    );
    return entries.map((entry) => ({ seq: entry.seq, happening: happeningOf(entry, approvals.get(entry.ref)) }));
  }
}

function present(read: readonly { readonly happening: Happening | undefined }[]): Happening[] {
  return read.flatMap(({ happening }) => (happening === undefined ? [] : [happening]));
}
