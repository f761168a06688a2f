import { CountersignError } from "../../core/errors.js";
import type { Clock, Notice } from "../../core/ports.js";
import type { IdentityDatabase, Queries } from "./database.js";
import type { Events } from "./events.js";

/** Who we are to authenticators. A passkey is bound to `id` for ever: another host name orphans it. */
export interface RelyingParty {
  readonly id: string;
  readonly name: string;
  /** Exact origins, with scheme and port, at which people meet this server. Never taken from a request. */
  readonly origins: readonly string[];
}

/** What every part of identity stands on. */
export interface Context {
  readonly database: IdentityDatabase;
  readonly clock: Clock;
  readonly events: Events;
  readonly notice: Notice;
  readonly relyingParty: RelyingParty;
}

/** A change with its events: both are committed, then the events are handed over. */
export async function change<T>(
  context: Context,
  steps: (queries: Queries) => Promise<T>,
  durability: "durable" | "noted" = "durable",
): Promise<T> {
  const result = await context.database.transaction(steps, durability);
  await context.events.deliver();
  return result;
}

/** The same sentence for what never was, what is gone and what belongs to another workspace. */
export function notFound(what: string): CountersignError {
  return new CountersignError("not_found", `There is no such ${what} here.`);
}

const MAX_NAME = 200;

/** Control characters could redraw a terminal, direction marks could turn a name into another. */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A name for people. */
export function checkName(name: unknown, what: string): string {
  if (typeof name !== "string" || name.trim() === "" || name.length > MAX_NAME || UNSAFE.test(name)) {
    throw new CountersignError(
      "invalid_request",
      `The ${what} must be a text of 1 to ${MAX_NAME} visible characters.`,
      { path: what },
    );
  }
  return name.trim();
}
