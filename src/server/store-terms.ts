import { CountersignError } from "../core/errors.js";
import { newId } from "../core/ids.js";
import type { Store, StoredRecord } from "../core/ports.js";

/** What all instances on one store have to do alike. Whoever comes first writes it down; whoever differs does not start. */
export interface StoreTerms {
  /** Fingerprints of the secrets this instance knows, the newest last; none where keys are files of one machine. */
  readonly fingerprints: readonly string[];
  readonly sealed: boolean;
}

interface Written {
  readonly secret: string;
  readonly sealed: boolean;
}

/** In no workspace of the users'. */
const PLACE = { kind: "setting", id: "_instances", workspaceId: "_instances" } as const;
/** Each lost race means that another instance wrote; more of them than this start at once nowhere. */
const ATTEMPTS = 10;

/** Resolves once the store says the same as these terms. Of instances that start together, the terms of one hold for all. */
export async function agreeOnTerms(store: Store, { fingerprints, sealed }: StoreTerms): Promise<void> {
  const wanted: Written = { secret: fingerprints.at(-1) ?? "", sealed };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await store.get(PLACE.kind, PLACE.id);
    const written = found === undefined ? undefined : (JSON.parse(found.value) as Written);
    if (written !== undefined) check(written, fingerprints, sealed);
    if (written?.secret === wanted.secret || (await write(store, found, wanted))) return;
  }
  throw new CountersignError("store_failed", "The instances on this store could not agree on their keys. Start again.");
}

function check(written: Written, fingerprints: readonly string[], sealed: boolean): void {
  if (written.secret !== "" && !fingerprints.includes(written.secret)) {
    throw new CountersignError(
      "unknown_key",
      "This store is used by instances with another secret: what they signed and sealed could not be verified or opened here. Start with their COUNTERSIGN_SECRET. To change it, name the old one and the new one behind it, with a blank between them, on every instance.",
    );
  }
  if (written.sealed !== sealed) {
    throw new CountersignError(
      "invalid_request",
      `What is kept in this store is ${written.sealed ? "sealed" : "not sealed"}, and the setting "seal" says otherwise. Sealing is chosen with an empty store; set it to "${written.sealed ? "on" : "off"}".`,
    );
  }
}

async function write(store: Store, found: StoredRecord | undefined, wanted: Written): Promise<boolean> {
  const { kind, id, workspaceId } = PLACE;
  const put = { kind, id, version: found?.version ?? 0, value: JSON.stringify(wanted) };
  const [applied] = await store.commit([{ changeId: newId(), workspaceId, puts: [put], entries: [] }]);
  return applied?.ok === true;
}
