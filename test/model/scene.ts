import type { Args, CallerName, PersonName, ToolName, WorkspaceId } from "./cast.js";

/** The described world as plain values, and everything that can be done in it. */

export type State =
  | "pending"
  | "approved"
  | "executing"
  | "succeeded"
  | "failed"
  | "unknown"
  | "denied"
  | "expired"
  | "cancelled";

export interface Call {
  tool: ToolName;
  caller: CallerName;
  /** As the agent proposed it: what later identical calls are compared with. */
  proposed: Args;
  args: Args;
  key: string | undefined;
  state: State;
  revision: number;
  /** Persons whose yes stands, in any order. */
  votes: string[];
  editors: string[];
  quorum: number;
  resolution: { type: string; by?: string } | undefined;
  /** Learned from the record once, then fixed. */
  decideBy: number;
  claimBy: number;
  reportBy: number;
  /** Which of the tokens handed out counts, as a number of the caller's own; undefined for none. */
  token: number | undefined;
  /** Whether the effect may have happened at all, and whether nobody can say so for sure. */
  started: boolean;
  maybe: boolean;
  /** Held by a question again, after an allowed call expired. */
  asked: boolean;
  /** Expired, but nobody has looked since. */
  unwritten: boolean;
  /** Ended, and found so in the store: looked at again when the run is over. */
  closed: boolean;
}

export interface World {
  now: number;
  /** When the store will have looked at its clock: later than `now` on a slow disk. */
  committed: number;
  paused: Record<WorkspaceId, boolean>;
  calls: Call[];
  /** The call the last step spoke of. */
  touched: number;
}

export type Op =
  | {
      type: "submit";
      tool: ToolName;
      caller: CallerName;
      args: Args;
      key: string | undefined;
      waits: boolean;
    }
  | {
      type: "decide";
      call: number;
      person: PersonName;
      decision: "approve" | "deny";
      /** The arguments this person saw, or nothing. */
      shown: Args | undefined;
      edit: Args | undefined;
    }
  | { type: "withdraw"; call: number; person: PersonName }
  | { type: "cancel"; call: number; caller: CallerName }
  | { type: "resume"; call: number; caller: CallerName }
  | { type: "claim"; call: number; caller: CallerName; token: number | "own" | undefined }
  | { type: "finish"; call: number; caller: CallerName; claim: "right" | "wrong"; as: "succeeded" | "failed" }
  | { type: "settle"; call: number; person: PersonName; as: "succeeded" | "failed" }
  | { type: "askAgain"; call: number; person: PersonName }
  | { type: "pause"; workspace: WorkspaceId; paused: boolean; person: PersonName }
  /** The blocked tool goes on, if the process it runs in still lives. */
  | { type: "release"; call: number; blocked: boolean }
  /** A gate looks after what time has decided; `startedAt` tells when each tool began, if it did. */
  | { type: "sweep"; startedAt: readonly (number | undefined)[] }
  /** A process ended and somebody found out: what ran in it is lost. */
  | { type: "crash"; running: readonly number[] };

/** A claim that fails for one of several good reasons; which of them is told first is not promised. */
export const REFUSED = "refused";
/** A time that is not known yet. */
export const UNSET = Number.POSITIVE_INFINITY;
/** A token the caller has not seen yet. */
export const NEW_TOKEN = -1;

const ENDED: readonly State[] = ["succeeded", "failed", "denied", "expired", "cancelled"];
export const isEnded = (state: State): boolean => ENDED.includes(state);

export function callAt(world: World, index: number): Call {
  const call = world.calls[index];
  if (call === undefined) throw new Error(`the model has no call ${index}`);
  return call;
}

export function sameArgs(a: Args, b: Args): boolean {
  return a.n === b.n && a.wait === b.wait && a.fails === b.fails;
}
