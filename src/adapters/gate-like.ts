import type { Gate } from "../core/gate.js";
import type { Registry } from "../core/registry.js";

/** What an adapter needs of a gate. The gate in this process has it, and so has the one that a client of a server gives. */
export type GateLike = Pick<Gate, "run" | "submit" | "resume" | "cancel" | "claim" | "finish"> & {
  readonly registry: Pick<Registry, "add" | "replace" | "find">;
};
