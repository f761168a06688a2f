import { CountersignError } from "../core/errors.js";
import type { RemoteGate } from "../remote/index.js";
import type { Console } from "./console.js";
import { urlOf } from "./signed-in.js";

/** The gate of the server, for what stands in front of an agent; `kind` is what `keys create --for` calls that agent. */
export async function agentGate(
  console: Console,
  options: Record<string, string | undefined>,
  kind: string,
  sessionId?: string,
): Promise<RemoteGate> {
  const key = console.process.env["COUNTERSIGN_KEY"];
  if (key === undefined || key === "") {
    throw new CountersignError(
      "invalid_request",
      `Set COUNTERSIGN_KEY to an agent's key: countersign keys create NAME --for ${kind}`,
    );
  }
  const { connectGate } = await import("../remote/index.js");
  return connectGate({ url: urlOf(console, options), key, ...(sessionId === undefined ? {} : { sessionId }) });
}
