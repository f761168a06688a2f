import { readFile } from "node:fs/promises";
import { ChainVerifier, genesis, shortHash } from "../core/audit.js";
import { resultHash } from "../core/claim.js";
import { CountersignError } from "../core/errors.js";
import { sha256Hex } from "../core/ids.js";
import type { Json } from "../core/json.js";
import type { Entry } from "../core/ports.js";
import { openCheckpoint } from "./checkpoint.js";
import { EVIDENCE, type Evidence } from "./evidence.js";
import { fromLine } from "./lines.js";
import { isSealed } from "./seal.js";

/** One step of the call's story, as the chain tells it. */
export interface Fact {
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  /** What the entry says; null where it was erased. */
  readonly says: { readonly [key: string]: Json } | null;
}

export interface EvidenceReport {
  readonly verdict: "valid" | "unanchored" | "broken";
  readonly approvalId: string;
  readonly facts: readonly Fact[];
  /** The canonical call that was asked last, when its hash is the one in the chain. */
  readonly call?: string;
  /** When the chain was signed with these entries in it, and by which key. */
  readonly signed?: { readonly at: number; readonly keyId: string };
  readonly problem?: string;
}

/**
 * Checks one call's evidence with nothing but the file and public keys. `open` reads sealed contents for whoever has the key
 * (`openerOf`); without it their links are checked and what they say stays unknown.
 */
export async function verifyEvidence(
  file: string | Evidence,
  publicKeys: readonly string[],
  open: (entry: Entry) => string | null = (entry) => entry.content,
): Promise<EvidenceReport> {
  let approvalId = "";
  let facts: Fact[] = [];
  try {
    const evidence = typeof file === "string" ? (JSON.parse(await readFile(file, "utf8")) as Evidence) : file;
    if (evidence?.evidence !== EVIDENCE) throw broken("this is not an evidence file");
    approvalId = evidence.approvalId;
    const entries = checkLinks(evidence);
    facts = entries.filter((entry) => entry.ref === approvalId).map((entry) => factOf(entry, open));
    if (facts.length === 0) throw broken("no entry speaks of this call");
    const call = checkCalls(evidence, facts);
    const told = { approvalId, facts, ...(call === undefined ? {} : { call }) };
    const signed = checkSignature(evidence, entries, publicKeys);
    return signed === undefined ? { verdict: "unanchored", ...told } : { verdict: "valid", ...told, signed };
  } catch (error) {
    if (!(error instanceof CountersignError || error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return { verdict: "broken", approvalId, facts, problem: error.message };
  }
}

function checkLinks(evidence: Evidence): Entry[] {
  const { seq, hash } = evidence.after;
  const from = hash === null ? genesis(evidence.workspace) : Buffer.from(hash, "hex");
  if (hash === null && seq !== 0) throw broken("it does not say what it goes on from");
  const verifier = new ChainVerifier(evidence.workspace, [], { seq, hash: from });
  const entries = evidence.entries.map(fromLine);
  for (const entry of entries) {
    const bad = verifier.add(entry);
    if (bad) throw broken(`entry ${bad.seq}: ${bad.problem}`);
  }
  // Other calls' contents are left out on purpose; of this one's, what is missing must have been erased.
  const gone = verifier
    .missing()
    .find((missing) => entries.some(({ seq: at, ref }) => at === missing && ref === evidence.approvalId));
  if (gone !== undefined) throw broken(`entry ${gone}: its content is missing and no entry says that it was erased`);
  return entries;
}

function checkSignature(evidence: Evidence, entries: readonly Entry[], publicKeys: readonly string[]) {
  if (evidence.checkpoint === null) return undefined;
  const checkpoint = openCheckpoint(evidence.checkpoint, publicKeys);
  if (checkpoint.workspaceId !== evidence.workspace) throw broken("the checkpoint is of another workspace");
  const at = entries.find(({ seq }) => seq === checkpoint.seq);
  if (at === undefined || Buffer.compare(at.hash, checkpoint.hash) !== 0)
    throw broken("the entries do not lead to what the checkpoint says");
  const last = entries.findLast(({ ref }) => ref === evidence.approvalId)?.seq ?? 0;
  return last > checkpoint.seq ? undefined : { at: checkpoint.time, keyId: checkpoint.keyId };
}

/** What was asked, approved and run is one call: the hash in each entry is the hash of the call in the file (I3). */
function checkCalls({ calls, result }: Evidence, facts: readonly Fact[]): string | undefined {
  let revision = 1;
  let current: string | undefined;
  for (const { seq, type, says } of facts) {
    if (says === null) continue;
    if (type === "approval.created" || type === "call.allowed" || type === "approval.edited") {
      revision = type === "approval.edited" ? Number(says.revision) : 1;
      const call = calls.find((kept) => kept.revision === revision)?.call;
      if (call && shortHash(sha256Hex(call.canonical)) !== says.hash)
        throw broken(`entry ${seq} speaks of another call than the file`);
      current = says.hash as string;
    } else if (HAS_HASH.includes(type) && says.hash !== undefined && current !== undefined && says.hash !== current) {
      throw broken(`entry ${seq} speaks of another call than the one before it`);
    }
    if (type === "call.executed" && result !== undefined && says.result !== undefined) {
      if (resultHash({ result }).result !== says.result)
        throw broken(`entry ${seq} speaks of another result than the file`);
    }
  }
  return current === undefined ? undefined : calls.find((kept) => kept.revision === revision)?.call?.canonical;
}

const HAS_HASH: readonly string[] = [
  "approval.voted",
  "approval.resolved",
  "call.claimed",
  "token.minted",
  "call.refused",
];

function factOf(entry: Entry, open: (entry: Entry) => string | null): Fact {
  const { seq, time, type } = entry;
  const content = open(entry);
  return {
    seq,
    time,
    type,
    says: content === null || isSealed(content) ? null : (JSON.parse(content) as Fact["says"]),
  };
}

function broken(why: string): CountersignError {
  return new CountersignError("chain_broken", why);
}
