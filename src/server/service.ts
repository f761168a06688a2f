import type { Gate } from "../core/gate.js";
import type { Clock, Notice } from "../core/ports.js";
import type { Doors } from "./http/credentials.js";
import type { Identity } from "./identity/index.js";
import type { Live } from "./live/live.js";

/** What all routes, sockets and streams of one server share. */
export interface Service {
  readonly gate: Gate;
  readonly identity: Identity;
  readonly doors: Doors;
  readonly live: Live;
  readonly clock: Clock;
  readonly notice: Notice;
}
