import type { JsonObject, Locale } from "countersign";
import type { Apps } from "../apps/apps.js";
import type { Moment } from "../language/dates.js";
import type { Member } from "../people.js";

export const DOMAINS = [
  "tasks",
  "calendar",
  "lists",
  "meals",
  "notes",
  "email",
  "files",
  "data",
  "web",
  "unknown",
] as const;
export type Domain = (typeof DOMAINS)[number];

/** What a conversation remembers between turns. */
export interface Memory {
  /** The task spoken of last: "it". */
  readonly taskId?: string;
  /** What was asked back, so that the next message can be its answer. */
  readonly awaiting?: Awaiting;
}

export type Awaiting =
  | { readonly kind: "title" }
  /** The message again, with the chosen task for the words that named several. */
  | { readonly kind: "choice"; readonly intent: JsonObject; readonly candidates: readonly string[] };

/** One sentence of a message, and everything that helps to understand it. */
export interface Turn {
  readonly text: string;
  readonly locale: Locale;
  readonly moment: Moment;
  readonly workspaceId: string;
  readonly userId: string;
  readonly memory: Memory;
  /** Whom things can be assigned to. */
  readonly members: readonly Member[];
}

/** What an agent makes of a sentence. It plans; only the gate lets anything happen. */
export type Plan =
  | {
      readonly type: "call";
      readonly domain: Domain;
      readonly tool: string;
      readonly args: JsonObject;
      readonly confidence: number;
    }
  | {
      readonly type: "say";
      readonly domain: Domain;
      readonly text: string;
      readonly payload?: JsonObject;
      readonly awaiting?: Awaiting;
    }
  /** The person wants nothing done, and what waits in this conversation taken back. */
  | { readonly type: "refuse"; readonly domain: Domain };

export interface Agent {
  readonly domain: Domain;
  /** Undefined when the sentence is not for this agent. Looks things up, changes nothing. */
  plan(turn: Turn, apps: Apps): Plan | undefined;
}

/** A read, or a write stated outright: nothing about it was guessed. */
export const STATED = 0.95;
