import { answer } from "./answer.js";
import { newEntry, shortHash } from "./audit.js";
import type { Caller } from "./call.js";
import { type Engine, loadApproval } from "./engine.js";
import { type Asked, checkSameCall, type Outdated } from "./hold.js";
import { newId } from "./ids.js";
import { liftFor } from "./judging/denials.js";
import { idempotencyKeyOf } from "./keys.js";
import { denied, type Outcome } from "./outcome.js";

/**
 * Nothing runs, and the log has it. A repeated key gets the first outcome, whatever the rules say now: "not run" would be a lie
 * about a call that ran.
 */
export async function deny(
  engine: Engine,
  tool: string,
  caller: Caller,
  reason: string,
  asked?: Asked,
): Promise<Outcome> {
  const { workspaceId, agentId } = caller;
  const key = asked?.call.idempotencyKey;
  const entry = newEntry("call.denied", "", {
    tool,
    hash: asked && shortHash(asked.canonical.hash),
    for: caller.userId,
    agent: agentId,
    session: caller.sessionId,
    reason,
  });
  const applied = await engine.grouper.commit({
    changeId: newId(),
    workspaceId,
    puts: [],
    entries: [entry],
    // Takes nothing, for it is over at once; but whoever holds the key is told.
    ...(key === undefined
      ? {}
      : { unique: [{ key: idempotencyKeyOf(workspaceId, agentId, key), id: newId(), until: 0 }] }),
  });
  const first = applied.ok ? undefined : await loadApproval(engine, applied.holder ?? "");
  if (first === undefined || asked === undefined) return denied(reason);
  await checkSameCall(engine, first, asked);
  return answer(engine, first);
}

/** People said no a short while ago; a person who asks again lifts it, and the call is judged once more. */
export async function denyAgain(
  engine: Engine,
  asked: Asked,
  { personAsked }: { readonly personAsked?: boolean },
): Promise<Outcome | Outdated> {
  const { verdict, tool, caller } = asked;
  if (personAsked === true) {
    await liftFor(engine, verdict.rules, caller);
    return { outdated: undefined };
  }
  return deny(engine, tool.name, caller, verdict.reason ?? "it was denied a short while ago", asked);
}
