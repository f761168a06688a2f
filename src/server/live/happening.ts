import type { LiveEvent } from "../../client/wire-live.js";
import { type Approval, checkAudience } from "../../core/approval.js";
import type { Json } from "../../core/json.js";
import type { Entry } from "../../core/ports.js";
import { may, type PersonPrincipal, type Principal } from "../identity/index.js";
import { wireTime } from "../views.js";

/** One entry of the chain with the record it speaks of, as that record stands now. */
export interface Happening {
  readonly event: LiveEvent;
  readonly approval?: Approval;
  /** Persons whom it concerns although it speaks of no approval. */
  readonly concerns: readonly string[];
  /** It takes a right away, or may: whoever listens is looked up again before hearing more. */
  readonly tightens: boolean;
}

/** What everybody in the workspace is told. */
const FOR_ALL: readonly string[] = ["workspace.paused", "workspace.resumed", "policy.changed"];

/** Kept in the chain as proof, and no news to anybody: a token's minting is its caller's matter, a plain read would be noise. */
const NO_NEWS: readonly string[] = ["token.minted", "call.read", "content.erased", "value.revealed"];

/** Which words of an entry go out, and under which name. Whatever else it holds stays where it is. */
const FIELDS: Readonly<Record<string, keyof LiveEvent>> = {
  tool: "tool",
  tier: "riskTier",
  as: "state",
  by: "by",
  reason: "reason",
  votes: "votes",
  quorum: "quorum",
  revision: "revision",
  for: "userId",
  userId: "userId",
  agent: "agentId",
  agentId: "agentId",
  session: "sessionId",
  sessionId: "sessionId",
  to: "to",
  grant: "grantId",
  deviceId: "deviceId",
  label: "label",
  fingerprint: "fingerprint",
  role: "role",
  replacedBy: "replacedBy",
};

const TIGHTENS = /^(session\.(revoked|elevated)|(member|group|person|agent|key|device|account)\.\w+)$/;
const PERSONS = ["by", "for", "userId", "ownerId", "to"] as const;

/** Undefined for what is no news. Erased content leaves the bare fact. */
export function happeningOf(entry: Entry, approval: Approval | undefined): Happening | undefined {
  if (NO_NEWS.includes(entry.type)) return undefined;
  const content = contentOf(entry);
  const event: Record<string, Json> = { seq: entry.seq, type: entry.type, time: wireTime(entry.time) };
  if (entry.ref !== "") event["approvalId"] = entry.ref;
  for (const [name, value] of Object.entries(content)) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (field !== undefined && (typeof value === "string" || typeof value === "number")) event[field] = value;
  }
  if (entry.type === "approval.created" && approval !== undefined) event["expiresAt"] = wireTime(approval.decideBy);
  return {
    event: event as unknown as LiveEvent,
    concerns: PERSONS.flatMap((name) => (typeof content[name] === "string" ? [content[name]] : [])),
    tightens: TIGHTENS.test(entry.type),
    ...(approval === undefined ? {} : { approval }),
  };
}

function contentOf({ content }: Entry): Readonly<Record<string, Json>> {
  const read: unknown = content === null ? {} : JSON.parse(content);
  return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as Record<string, Json>) : {};
}

/** Said for each event anew (I11). An agent hears of its own calls alone; a person of what they may answer or have asked for. */
export function maySee(by: Principal, { event, approval, concerns }: Happening): boolean {
  if (FOR_ALL.includes(event.type)) return true;
  if (by.kind === "agent") {
    if (approval === undefined) return event.type === "call.denied" && event.agentId === by.agentId;
    const { agentId, deviceId } = approval.requester;
    return agentId === by.agentId && (deviceId === undefined || deviceId === by.deviceId);
  }
  if (may(by, "audit.read")) return true;
  if (approval === undefined) return concerns.includes(by.userId);
  return isOfAudience(by, approval) || approval.requester.userId === by.userId;
}

/** Whether this person may look at the approval and answer it; its own rules say whether the answer counts. */
export function mayDecide(by: Principal, approval: Approval): boolean {
  return by.kind === "person" && may(by, "approval.decide") && isOfAudience(by, approval);
}

function isOfAudience({ userId, workspaceId, role, groups }: PersonPrincipal, approval: Approval): boolean {
  const person = { kind: "person", userId, workspaceId, roles: [role], groups } as const;
  return checkAudience(approval, person) === undefined;
}
