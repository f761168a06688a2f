import type { Json } from "../core/json.js";
import type { PrivacyLevel } from "../core/privacy.js";
import type { ApprovalView } from "./wire.js";
import type { Role } from "./wire-people.js";
import type { SettingsView } from "./wire-standing.js";

/** The workspace, its past and its log, as the server tells them. Times are ISO 8601 texts. */

export interface WorkspaceView {
  readonly workspaceId: string;
  readonly name: string;
  readonly role: Role;
  readonly paused: boolean;
  /** What the store promises, in plain words. */
  readonly storePromise: {
    readonly engine: string;
    readonly durable: boolean;
    readonly shared: boolean;
    readonly text: string;
  };
  readonly privacy: PrivacyLevel;
  /** Your own Autonomous Mode, while it is on. */
  readonly autonomous?: NonNullable<SettingsView["autonomous"]>;
  /** What waits for you. */
  readonly counts: {
    readonly pending: number;
    readonly unknown: number;
    readonly withheld: number;
    readonly devices: number;
  };
}

/** A page of what became of calls, newest first; `next` goes on. */
export interface HistoryPage {
  readonly items: readonly ApprovalView[];
  readonly next?: string;
}

export interface AuditEntry {
  readonly seq: number;
  readonly time: string;
  readonly type: string;
  /** The approval it speaks of; empty for none. */
  readonly ref: string;
  /** What it says; null where it was erased or is sealed. */
  readonly says: Readonly<Record<string, Json>> | null;
  readonly hash?: string;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly next?: number;
}

export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
  readonly time: string;
}

/** One call, step by step, and whether its chain holds. */
export interface Timeline {
  readonly entries: readonly AuditEntry[];
  readonly chain: {
    readonly verified: boolean;
    readonly signed: boolean;
    readonly problem?: string;
    readonly head: ChainHead;
  };
}

export interface PrivacyView {
  readonly level: PrivacyLevel;
  readonly levels: readonly {
    readonly level: PrivacyLevel;
    /** Milliseconds after a call's end for which what was said in it is kept. */
    readonly contentKeptFor: number;
    readonly keptWhileContentIs: readonly string[];
    readonly keptAfterwards: readonly string[];
    readonly neverKept: readonly string[];
  }[];
}
