import type { Gate } from "../core/gate.js";
import type { Clock, Notice } from "../core/ports.js";
import type { ReplyRules } from "../core/reply-rules.js";
import type { Policy } from "../policy/index.js";
import type { Checkpointer, Retention, SigningKey } from "../proof/index.js";
import type { Doors } from "./http/credentials.js";
import type { Identity } from "./identity/index.js";
import type { Live } from "./live/live.js";
import type { ToolShelf } from "./tools/shelf.js";

/** What all routes, sockets and streams of one server share. */
export interface Service {
  readonly gate: Gate;
  readonly identity: Identity;
  readonly doors: Doors;
  readonly live: Live;
  readonly clock: Clock;
  readonly notice: Notice;
  readonly proof: Proof;
  /** How answers in chats are read where a workspace has not said otherwise. */
  readonly replies: ReplyRules;
  /** What agents have declared of the tools they run. */
  readonly tools: ToolShelf;
  /** The rules in force and the file they stand in; absent where the gate was made without a policy file. */
  readonly policy?: { readonly current: () => Policy; readonly file: string };
}

/** What proves the log to others, and what erases from it. A gate that was given to `serve` may have none of it. */
export interface Proof {
  readonly signingKey?: SigningKey;
  readonly checkpointer?: Checkpointer;
  /** Erases what is older than the privacy level says, and what a person wants erased. */
  readonly retention: Retention;
  /** What is kept of calls where a workspace has not said otherwise. */
  readonly privacy: "minimal" | "enhanced";
}
