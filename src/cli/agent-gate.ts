import type { OnRetry } from "../client/index.js";
import { CountersignError } from "../core/errors.js";
import type { RemoteGate } from "../remote/index.js";
import type { Console } from "./console.js";
import { urlOf } from "./signed-in.js";

/** The key of the agent that this program stands in front of; `kind` is what `keys create --for` calls it. */
export function keyOf({ process: { env } }: Console, kind: string): string {
  const key = env["COUNTERSIGN_KEY"];
  if (key !== undefined && key !== "") return key;
  throw new CountersignError(
    "invalid_request",
    `Set COUNTERSIGN_KEY to an agent's key: countersign keys create NAME --for ${kind}`,
  );
}

/** A shorter wait is over before it is read. */
const WORTH_TELLING = 2_000;

/** Says why nothing happens for a while. */
export function tellRetries(console: Console): OnRetry {
  return ({ error, wait }) => {
    if (wait >= WORTH_TELLING) console.say(`${error.message} Trying again in ${Math.ceil(wait / 1_000)} s.`);
  };
}

/** The server's gate for such an agent. */
export async function agentGate(
  console: Console,
  options: Record<string, string | undefined>,
  kind: string,
  { key = keyOf(console, kind), sessionId }: { readonly key?: string | undefined; readonly sessionId?: string } = {},
): Promise<RemoteGate> {
  const { connectGate } = await import("../remote/index.js");
  const onRetry = tellRetries(console);
  return connectGate({ url: urlOf(console, options), key, onRetry, ...(sessionId === undefined ? {} : { sessionId }) });
}
