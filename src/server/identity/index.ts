export type { AccountCode, AccountView } from "./accounts.js";
export type { AgentView, NewAgent } from "./agents.js";
export type { IssuedKey, KeyView } from "./api-keys.js";
export type { Weakening } from "./authority.js";
export type { CliSignInStarted, Polled } from "./cli-sign-in.js";
export type { RelyingParty } from "./context.js";
export type { IdentityDatabase, Queries } from "./database.js";
export { DEVICE_WAITS, type DeviceView, type Exchanged } from "./devices.js";
export type { Audit, IdentityEvent, IdentityEventType } from "./events.js";
export { type EvidenceVerdict, type StepUpEvidence, verifyStepUpEvidence } from "./evidence.js";
export { type Identity, type IdentityOptions, openIdentity } from "./identity.js";
export { identityPeople } from "./identity-people.js";
export type { Joined } from "./invitations.js";
export { API_KEY_PATTERN } from "./key-format.js";
export type { LimitVerdict, WriteAct, WriteLimit } from "./limits.js";
export { type Link, linkUrl } from "./links.js";
export type { MemberView } from "./members.js";
export type { Names } from "./names.js";
export type { PasskeyView } from "./passkeys.js";
export type { FirstOwner, WorkspaceView } from "./people.js";
export { type PostgresIdentityOptions, postgresIdentityDatabase } from "./postgres-database.js";
export {
  type AgentPrincipal,
  assuranceOf,
  callerOf,
  decidesUpTo,
  may,
  type Permission,
  type PersonPrincipal,
  type Principal,
  personOf,
  type Role,
  readerOf,
  type Session,
} from "./principal.js";
export { covers } from "./scopes.js";
export type { SessionView, StartedSession } from "./sessions.js";
export { sqliteIdentityDatabase } from "./sqlite-database.js";
export type { Question, SteppedUp } from "./step-up.js";
export type { Assertion, Registration } from "./webauthn.js";
