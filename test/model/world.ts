import { CALLERS, type CallerName, PENDING_LIMIT, PEOPLE, type PersonName, TIMEOUT, TOOLS } from "./cast.js";
import {
  type Call,
  callAt,
  isEnded,
  NEW_TOKEN,
  type Op,
  REFUSED,
  type State,
  sameArgs,
  UNSET,
  type World,
} from "./scene.js";

/*
 * What the engine should do, told a second time and as plainly as possible: no versions, no commits, no retries. `step` is
 * the whole description; whatever the engine does has to look as if these steps had happened one after the other.
 */

/** The world after this, and what whoever did it is told: an outcome, an error's code, or that it waits. */
export function step(before: World, op: Op): { readonly world: World; readonly told: string } {
  const world = structuredClone(before);
  for (const call of world.calls) expire(call, world.now);
  world.touched = "call" in op ? op.call : -1;
  const told = act(world, op);
  return { world, told };
}

function expire(call: Call, now: number): void {
  const late = (call.state === "pending" && now >= call.decideBy) || (call.state === "approved" && now >= call.claimBy);
  if (late) Object.assign(call, { state: "expired", resolution: { type: "expired" }, unwritten: true });
}

function act(world: World, op: Op): string {
  switch (op.type) {
    case "submit":
      return submit(world, op);
    case "pause":
      if (PEOPLE[op.person].workspaceId !== op.workspace) return "family_mismatch";
      world.paused[op.workspace] = op.paused;
      return "done";
    case "sweep":
      for (const [index, call] of world.calls.entries()) sweep(world, call, op.startedAt[index]);
      return "done";
    case "crash":
      for (const index of op.running) lose(callAt(world, index));
      return "done";
    case "release": {
      const call = callAt(world, op.call);
      if (op.blocked && (call.state === "executing" || call.state === "unknown")) end(call);
      return "done";
    }
    case "decide":
      return decide(world, callAt(world, op.call), op);
    case "withdraw":
      return withdraw(world, callAt(world, op.call), op.person);
    case "cancel":
      return cancel(world, callAt(world, op.call), op.caller);
    case "resume":
      return notTheirs(callAt(world, op.call), op.caller) ?? tell(world, callAt(world, op.call), false);
    case "claim":
      return claim(world, callAt(world, op.call), op);
    case "finish":
      return finish(callAt(world, op.call), op);
    case "settle":
      return settle(callAt(world, op.call), op);
    case "askAgain":
      return askAgain(world, callAt(world, op.call), op.person);
    default:
      return op satisfies never;
  }
}

// ── Asking ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function submit(world: World, op: Extract<Op, { type: "submit" }>): string {
  const { workspaceId } = CALLERS[op.caller];
  const paused = world.paused[workspaceId];
  const { hosted, asks } = TOOLS[op.tool];
  const waits = op.waits || (hosted && !asks);
  if (op.key !== undefined) {
    const first = world.calls.find((call) => call.key === op.key && CALLERS[call.caller].workspaceId === workspaceId);
    // Also what is refused by now: a key that was used tells what became of its call.
    const wait = paused ? op.waits : waits;
    if (first !== undefined) return sameCall(first, op) ? tell(world, first, wait) : "idempotency_conflict";
  }
  if (paused) return "denied";
  if (asks) return hold(world, op, op.key, waits);
  const call = newCall(op, op.key, hosted ? "executing" : "approved");
  world.calls.push(call);
  if (hosted) start(call);
  return tell(world, call, waits);
}

/** A question, or the open one that an identical call of the session already has. */
function hold(
  world: World,
  op: Pick<Call, "tool" | "caller" | "args">,
  key: string | undefined,
  waits: boolean,
  editors: readonly string[] = [],
): string {
  if (!canBeAnswered(op, editors)) return "no_approver";
  const open = world.calls.find(
    (call) => call.key === undefined && call.asked && !isEnded(call.state) && sameCall(call, op),
  );
  if (key === undefined && open !== undefined) return tell(world, open, waits);
  // Asking the same again finds that the first question is over.
  const over = world.calls.find((call) => call.key === undefined && call.asked && call.unwritten && sameCall(call, op));
  if (key === undefined && over !== undefined) over.unwritten = false;
  const { userId, workspaceId } = CALLERS[op.caller];
  const waiting = world.calls.filter(
    (call) =>
      (call.state === "pending" || (call.unwritten && call.claimBy === UNSET)) &&
      CALLERS[call.caller].userId === userId &&
      CALLERS[call.caller].workspaceId === workspaceId,
  );
  if (waiting.length >= PENDING_LIMIT) return "too_many_pending";
  const call = { ...newCall(op, key, "pending"), asked: true, editors: [...editors] };
  world.calls.push(call);
  return tell(world, call, waits);
}

/** Who edited a question counts as its requester when it is put again. */
function canBeAnswered({ tool, caller }: Pick<Call, "tool" | "caller">, editors: readonly string[]): boolean {
  const { persons = [], quorum = 1, notRequester } = TOOLS[tool];
  if (notRequester !== true) return true;
  return persons.filter((name) => name !== CALLERS[caller].userId && !editors.includes(name)).length >= quorum;
}

function newCall(
  { tool, caller, args }: Pick<Call, "tool" | "caller" | "args">,
  key: string | undefined,
  state: State,
): Call {
  return {
    tool,
    caller,
    proposed: args,
    args,
    key,
    state,
    revision: 1,
    votes: [],
    editors: [],
    quorum: TOOLS[tool].quorum ?? 1,
    resolution: undefined,
    decideBy: UNSET,
    claimBy: UNSET,
    reportBy: UNSET,
    token: undefined,
    started: false,
    maybe: false,
    asked: false,
    unwritten: false,
    closed: false,
  };
}

function sameCall(call: Call, op: Pick<Call, "tool" | "caller" | "args">): boolean {
  const { n, wait, fails } = call.proposed;
  return (
    call.tool === op.tool &&
    call.caller === op.caller &&
    n === op.args.n &&
    wait === op.args.wait &&
    fails === op.args.fails
  );
}

/** What the requesting side hears. Being told of a call to run elsewhere hands out its token; an older one is void. */
function tell(world: World, call: Call, waits: boolean): string {
  world.touched = world.calls.indexOf(call);
  if (isEnded(call.state) || call.state === "unknown") {
    call.unwritten = false;
    return call.state;
  }
  if (call.state === "approved" && !TOOLS[call.tool].hosted) {
    call.token = NEW_TOKEN;
    return "pending";
  }
  return waits ? "waiting" : "pending";
}

function askAgain(world: World, call: Call, name: PersonName): string {
  const stranger = notForThem(call, name);
  if (stranger) return stranger;
  if (call.state !== "expired") return "already_resolved";
  call.unwritten = false;
  if (world.paused[CALLERS[call.caller].workspaceId]) return "policy_denied";
  // A person is told how the question stands; the token is for the agent alone.
  const tokens = world.calls.map((other) => other.token);
  const told = hold(world, call, undefined, false, call.editors);
  for (const [index, other] of world.calls.entries()) other.token = tokens[index];
  return told;
}

// ── Answering ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function decide(world: World, call: Call, op: Extract<Op, { type: "decide" }>): string {
  const stranger = notForThem(call, op.person);
  if (stranger) return stranger;
  const paused = world.paused[CALLERS[call.caller].workspaceId];
  // New arguments are judged like any call, and a paused workspace denies.
  const edited = op.edit !== undefined && !sameArgs(op.edit, call.args);
  if (edited && paused) return "policy_denied";
  expire(call, world.committed);
  const late = notOpen(call);
  if (late) return late;
  if (op.shown === undefined && call.revision > 1) return "hash_required";
  if (op.shown !== undefined && !sameArgs(op.shown, call.args)) return "hash_mismatch";
  if (op.decision === "deny") {
    Object.assign(call, { state: "denied", resolution: { type: "denied", by: op.person } });
    return "denied";
  }
  if (edited) {
    Object.assign(call, { args: op.edit, revision: call.revision + 1, votes: [] });
    call.editors = [...new Set([...call.editors, op.person])];
  }
  const barred =
    TOOLS[call.tool].notRequester === true &&
    (CALLERS[call.caller].userId === op.person || call.editors.includes(op.person));
  if (barred) return edited ? "pending" : "self_approval";
  call.votes = [...new Set([...call.votes, op.person])];
  if (call.votes.length < call.quorum) return "pending";
  Object.assign(call, { state: "approved", resolution: { type: "approved", by: op.person } });
  if (TOOLS[call.tool].hosted && !paused) start(call);
  return "approved";
}

function notOpen(call: Call): string | undefined {
  if (call.state === "pending") return undefined;
  return call.state === "expired" ? "expired" : "already_resolved";
}

function withdraw(world: World, call: Call, name: PersonName): string {
  const stranger = notForThem(call, name);
  if (stranger) return stranger;
  if (!call.votes.includes(name)) return "not_found";
  if (call.state === "approved") {
    Object.assign(call, { state: "cancelled", resolution: { type: "cancelled", by: name } });
    return "cancelled";
  }
  expire(call, world.committed);
  const late = notOpen(call);
  if (late) return late;
  call.votes = call.votes.filter((vote) => vote !== name);
  return "pending";
}

function cancel(_world: World, call: Call, caller: CallerName): string {
  const stranger = notTheirs(call, caller);
  if (stranger) return stranger;
  if (call.state === "expired") return "expired";
  if (call.state !== "pending" && call.state !== "approved") return "already_resolved";
  Object.assign(call, { state: "cancelled", resolution: { type: "cancelled", by: CALLERS[caller].userId } });
  return "cancelled";
}

/** Why this person may not see or answer it. */
export function notForThem(call: Call, name: PersonName): string | undefined {
  const person = PEOPLE[name];
  if (person.workspaceId !== CALLERS[call.caller].workspaceId) return "family_mismatch";
  const { persons } = TOOLS[call.tool];
  if (persons !== undefined) return persons.includes(name) ? undefined : "user_mismatch";
  const roles: readonly string[] = "roles" in person ? person.roles : [];
  const eligible = CALLERS[call.caller].userId === name || roles.includes("approver") || roles.includes("owner");
  return eligible ? undefined : "user_mismatch";
}

function notTheirs(call: Call, caller: CallerName): string | undefined {
  if (CALLERS[caller].workspaceId !== CALLERS[call.caller].workspaceId) return "family_mismatch";
  return caller === call.caller ? undefined : "user_mismatch";
}

// ── Running ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function start(call: Call): void {
  Object.assign(call, { state: "executing", started: true });
  if (!call.args.wait) end(call);
}

function end(call: Call): void {
  call.state = call.args.fails ? "failed" : "succeeded";
}

function lose(call: Call): void {
  if (call.state === "executing") Object.assign(call, { state: "unknown", maybe: true });
}

function claim(world: World, call: Call, op: Extract<Op, { type: "claim" }>): string {
  const stranger = notTheirs(call, op.caller);
  if (stranger) return stranger;
  if (op.token === "own" && TOOLS[call.tool].hosted) return "not_supported";
  expire(call, world.committed);
  if (call.state === "pending") return "not_approved";
  if (call.state === "expired") return "expired";
  if (call.state === "denied" || call.state === "cancelled") return "already_resolved";
  if (call.state !== "approved") return "already_claimed";
  if (world.paused[CALLERS[call.caller].workspaceId]) return REFUSED;
  if (op.token !== "own" && (op.token === undefined || op.token !== call.token)) return "token_mismatch";
  Object.assign(call, { state: "executing", started: true, token: undefined });
  return "claimed";
}

function finish(call: Call, op: Extract<Op, { type: "finish" }>): string {
  const stranger = notTheirs(call, op.caller);
  if (stranger) return stranger;
  if (!call.started || op.claim === "wrong") return "token_mismatch";
  // Said before, by the agent or by a person: the first word stands and is told again.
  if (!isEnded(call.state)) call.state = op.as;
  return call.state;
}

function settle(call: Call, op: Extract<Op, { type: "settle" }>): string {
  const requester = CALLERS[call.caller];
  const mine = requester.userId === op.person && requester.workspaceId === PEOPLE[op.person].workspaceId;
  const stranger = mine ? undefined : notForThem(call, op.person);
  if (stranger) return stranger;
  if (call.state !== "unknown") return "already_resolved";
  call.state = op.as;
  return op.as;
}

function sweep(world: World, call: Call, startedAt: number | undefined): void {
  const { hosted } = TOOLS[call.tool];
  if (call.state === "expired") call.unwritten = false;
  if (call.state === "approved" && hosted && !world.paused[CALLERS[call.caller].workspaceId]) start(call);
  if (call.state !== "executing") return;
  const overdue = hosted ? startedAt !== undefined && world.now >= startedAt + TIMEOUT : world.now >= call.reportBy;
  if (overdue) lose(call);
}
