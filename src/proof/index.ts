export { type Checkpoint, openCheckpoint } from "./checkpoint.js";
export {
  type Checkpointer,
  type CheckpointerOptions,
  type CheckpointStatus,
  createCheckpointer,
  type Workspaces,
} from "./checkpointer.js";
export { keptHash } from "./erase.js";
export { type Evidence, exportEvidence } from "./evidence.js";
export { exportEntries } from "./export.js";
export { generateSigningKey, parseSigningKey, type SigningKey } from "./key.js";
export { loadKeyText } from "./key-file.js";
export { type InstanceKeys, keysFromSecret } from "./keys-from-secret.js";
export {
  createRetention,
  type ErasedPerson,
  erasePerson,
  RETENTION,
  type Retention,
  type RetentionOptions,
} from "./retention.js";
export { createKeyRing, generateSealingKey, type KeyRing } from "./seal.js";
export { openerOf, sealedStore } from "./sealed-store.js";
export { fileSink, readNotes, type Sink, storeSink } from "./sinks.js";
export { checkAgainst, type ProofReport, type Trust, verifyExport } from "./verify.js";
export { type EvidenceReport, type Fact, verifyEvidence } from "./verify-evidence.js";
