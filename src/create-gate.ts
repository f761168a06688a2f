import { Gate, type GateOptions } from "./core/gate.js";
import { thisHost } from "./host.js";

/** A gate in this process. Close it when done; what it was told to remember stays in its store. */
export function createGate(options: Omit<GateOptions, "host"> & Partial<Pick<GateOptions, "host">>): Gate {
  return new Gate({ host: thisHost(), ...options });
}
