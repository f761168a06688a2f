export type { Clock, Store } from "../core/ports.js";
export { type FakeClock, fakeClock } from "./clock.js";
export { type Fault, type FaultyStore, faultyStore } from "./faulty-store.js";
export { type ScriptedApprover, type Seen, scriptedApprover } from "./scripted-approver.js";
export { type ContractOptions, describeStore, type Runner } from "./store-contract/describe.js";
