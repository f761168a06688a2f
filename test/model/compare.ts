import { isDeepStrictEqual } from "node:util";
import type { Approval } from "../../src/core/approval.js";
import { decodeApproval, decodeCall } from "../../src/core/codec.js";
import { sameSecret } from "../../src/core/token.js";
import { CLAIM_WINDOW, PEOPLE, type PersonName, TIMEOUT, TOOLS, TTL } from "./cast.js";
import { type Real, shownKey } from "./real.js";
import type { Replay } from "./replay.js";
import { type Call, isEnded, sameArgs, UNSET, type World } from "./scene.js";
import { notForThem } from "./world.js";

/** The first thing in which store, log and sink differ from the world, in words; nothing when they agree. */
export async function difference(
  world: World,
  real: Real,
  replay: Replay,
  closedToo = false,
): Promise<string | undefined> {
  if (replay.created.length !== world.calls.length)
    return `${world.calls.length} approvals expected, ${replay.created.length} found`;
  for (const [index, call] of world.calls.entries()) {
    if (call.closed && !closedToo) continue;
    const approvalId = replay.created[index] ?? "";
    const record = await real.observer.get("approval", approvalId);
    if (record === undefined) return `call ${index}: its record is gone (I5)`;
    const found = decodeApproval(record);
    const wrong =
      (await inRecord(call, found, world, real)) ?? inLog(found, replay) ?? (await inSink(call, approvalId, real));
    if (wrong !== undefined) return `call ${index} (${call.tool}): ${wrong}`;
  }
  return undefined;
}

async function inRecord(call: Call, found: Approval, world: World, real: Real): Promise<string | undefined> {
  const due = found.state === "pending" ? found.decideBy : found.state === "approved" ? (found.claimBy ?? 0) : Infinity;
  const lazily = call.state === "expired" && world.now >= due;
  if (lazily && !call.unwritten) return "nobody has written down that it expired";
  if (!lazily && found.state !== call.state) return `${found.state} instead of ${call.state}`;
  const { resolution } = found;
  const resolved = resolution && {
    type: resolution.type,
    ...(resolution.by === undefined ? {} : { by: resolution.by }),
  };
  if (!lazily && !isDeepStrictEqual(resolved, call.resolution))
    return `I4: resolution ${JSON.stringify(resolved)} instead of ${JSON.stringify(call.resolution)}`;
  const votes = found.votes.map((vote) => vote.userId).sort();
  if (!isDeepStrictEqual(votes, [...call.votes].sort()))
    return `I10: votes of ${votes.join()} instead of ${call.votes.join()}`;
  if (!isDeepStrictEqual([...found.editors].sort(), [...call.editors].sort())) return `editors ${found.editors.join()}`;
  if (found.revision !== call.revision) return `revision ${found.revision} instead of ${call.revision}`;
  const row = await real.observer.get(
    "call",
    call.revision === 1 ? found.approvalId : `${found.approvalId}.${call.revision}`,
  );
  const { args } = row === undefined ? {} : JSON.parse(decodeCall(row).canonical);
  return sameArgs(args, call.args) ? undefined : `I3: arguments ${JSON.stringify(args)}`;
}

function inLog(found: Approval, replay: Replay): string | undefined {
  const told = replay.told.get(found.approvalId);
  const bornRunning = told?.state === "approved" && found.state === "executing" && found.resolution === undefined;
  if (told?.state !== found.state && !bornRunning) return `I7: the log says ${told?.state}, the record ${found.state}`;
  if (told.revision !== found.revision) return `I7: the log knows ${told.revision} revisions`;
  return told.claims > 1 ? `I1: claimed ${told.claims} times` : undefined;
}

async function inSink(call: Call, approvalId: string, real: Real): Promise<string | undefined> {
  const effects = real.sink.of(approvalId);
  if (effects.length > 1) return `I1: ${effects.length} effects`;
  const [effect] = effects;
  const { hosted } = TOOLS[call.tool];
  if (effect === undefined) return hosted && call.started && !call.maybe ? "it ran, and no effect is there" : undefined;
  if (!call.started) return "I2: an effect before it was permitted";
  if (!sameArgs(effect.args, call.args)) return `I3: ran with ${JSON.stringify(effect.args)}`;
  const record = await effect.record;
  if (record?.state !== "executing") return `I2: the effect began while the record was ${record?.state}`;
  if (!call.asked) return undefined;
  const voters = new Set(record.votes.map((vote) => vote.userId));
  const strangers = [...voters].filter((name) => !(name in PEOPLE) || notForThem(call, name as PersonName));
  if (strangers.length > 0) return `I11: approved by ${strangers.join()}`;
  return voters.size < call.quorum ? `I10: ran with ${voters.size} of ${call.quorum} approvals` : undefined;
}

/** Takes over what only the record knows (its times, whether anybody wrote the expiry down), and holds it to it from then on. */
export async function learn(world: World, since: number, real: Real, replay: Replay): Promise<string | undefined> {
  for (const [index, call] of world.calls.entries()) {
    if (call.closed) continue;
    const approvalId = replay.created[index] ?? "";
    const record = await real.observer.get("approval", approvalId);
    if (record === undefined) return `call ${index}: its record is gone (I5)`;
    const found = decodeApproval(record);
    real.hashes.set(shownKey(approvalId, call.args), found.toolCallHash);
    call.unwritten = call.state === "expired" && found.state !== "expired";
    call.closed = isEnded(call.state) && !call.unwritten;
    call.token = call.state === "approved" ? validToken(found, real.tokens.get(approvalId) ?? []) : undefined;
    const wrong =
      fix(call, "decideBy", call.asked ? found.decideBy : undefined, TTL, since, world.now) ??
      fix(call, "claimBy", found.claimBy, CLAIM_WINDOW, since, world.now) ??
      fix(call, "reportBy", found.execution?.reportBy, TIMEOUT, since, world.now);
    if (wrong !== undefined) return `call ${index}: ${wrong}`;
  }
  return undefined;
}

/** Two processes may tell theirs in another order than they minted them, so that the last one told need not be the one that counts. */
function validToken({ approvalToken }: Approval, told: readonly string[]): number | undefined {
  const at = told.findIndex((token) => approvalToken !== undefined && sameSecret(token, approvalToken.hash));
  return at === -1 ? undefined : at;
}

function fix(
  call: Call,
  name: "decideBy" | "claimBy" | "reportBy",
  found: number | undefined,
  window: number,
  since: number,
  now: number,
): string | undefined {
  if (found === undefined) return undefined;
  if (call[name] !== UNSET) return call[name] === found ? undefined : `${name} was moved`;
  if (found < since + window || found > now + window) return `${name} is not ${window} ms from then`;
  call[name] = found;
  return undefined;
}
