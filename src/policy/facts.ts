import type { Caller } from "../core/call.js";
import type { Classification } from "../core/classify.js";
import type { JsonObject } from "../core/json.js";
import { RISK_TIERS, type RiskTier } from "../core/risk.js";
import type { AnyTool, Effect } from "../core/tool.js";

export const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** One call as conditions see it. */
export interface Subject {
  readonly tool: AnyTool;
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly confidence?: number | undefined;
}

/** The records that conditions can look into, each a class so that no evaluation has to convert it. */
export class RequesterFact {
  readonly id: string;
  readonly workspace: string;
  readonly device: string;
  constructor({ userId, workspaceId, deviceId = "" }: Caller) {
    this.id = userId;
    this.workspace = workspaceId;
    this.device = deviceId;
  }
}

export class AgentFact {
  readonly id: string;
  readonly lineage: readonly string[];
  constructor({ agentId, lineage = [] }: Caller) {
    this.id = agentId;
    this.lineage = lineage;
  }
}

export class SessionFact {
  readonly id: string;
  constructor({ sessionId }: Caller) {
    this.id = sessionId;
  }
}

export class ScopeFact {
  readonly outside: boolean;
  readonly paths: readonly string[];
  readonly domains: readonly string[];
  constructor(
    outside: boolean,
    { paths = [], domains = [] }: { paths?: readonly string[]; domains?: readonly string[] } = {},
  ) {
    this.outside = outside;
    this.paths = paths;
    this.domains = domains;
  }
}

export class TimeFact {
  readonly hour: bigint;
  readonly minute: bigint;
  readonly weekday: string;
  readonly weekend: boolean;
  readonly date: string;
  constructor(parts: Readonly<Record<string, string>>) {
    this.hour = BigInt(parts.hour ?? "0");
    this.minute = BigInt(parts.minute ?? "0");
    this.weekday = (parts.weekday ?? "").toLowerCase();
    this.weekend = this.weekday === "saturday" || this.weekday === "sunday";
    this.date = `${parts.year}-${parts.month}-${parts.day}`;
  }
}

/** Every field that a condition may name, with its type, the words it can hold where they are few, and what it says. */
export const FIELDS = {
  tool: { type: "string", says: "the tool's name" },
  app: { type: "string", says: "the app or MCP server it belongs to" },
  effect: { type: "string", words: ["read", "write"] satisfies Effect[], says: "what the tool declares" },
  args: { type: "map<string, dyn>", says: "the arguments; numbers are doubles" },
  riskTier: { type: "string", words: RISK_TIERS, says: 'R0 to R4; compares in that order: riskTier >= "R3"' },
  confidence: { type: "double", says: "0 to 1; 0 when the agent stated none" },
  cost: { type: "double", says: "what the tool says the call costs; 0 when it says nothing" },
  requester: { type: "Requester", says: "for whom the call is made: id, workspace, device" },
  agent: { type: "Agent", says: "who calls: id, lineage (the agents above it, outermost first)" },
  session: { type: "Session", says: "id" },
  surface: { type: "string", says: "the door it came through: library, rest, mcp …" },
  scope: { type: "Scope", says: "outside (the call drifts out of the session's scope), paths, domains" },
  time: { type: "Time", says: "hour, minute, weekday, weekend, date, in the policy's time zone" },
} as const;
export type Field = keyof typeof FIELDS;

/** What classification decides: a rule that raises or counts cannot look at it, for it would look at its own result. */
export const AFTER_CLASSIFICATION: readonly Field[] = ["riskTier", "scope"];

export type Facts = Readonly<Partial<Record<Field, unknown>>>;

/** A tool that cannot say what its call costs leaves the field out; a rule that needs it then asks a person. */
function costOf({ tool, args }: Subject): number | undefined {
  try {
    const cost: unknown = typeof tool.cost === "function" ? tool.cost(args) : (tool.cost ?? 0);
    return typeof cost === "number" && cost >= 0 ? cost : undefined;
  } catch {
    return undefined;
  }
}

/** Only the fields that some rule names are worked out. */
export function factsOf(
  subject: Subject,
  classification: Pick<Classification, "riskTier" | "reasons"> | undefined,
  uses: ReadonlySet<Field>,
  time: () => TimeFact,
  scope: { paths?: readonly string[]; domains?: readonly string[] } | undefined,
): Facts {
  const { tool, args, caller } = subject;
  const facts: Partial<Record<Field, unknown>> = {
    tool: tool.name,
    app: tool.app,
    effect: tool.effect,
    args,
    confidence: subject.confidence ?? 0,
    surface: caller.surface ?? "library",
  };
  if (classification !== undefined) {
    facts.riskTier = classification.riskTier satisfies RiskTier;
    if (uses.has("scope"))
      facts.scope = new ScopeFact(
        classification.reasons.some((reason) => reason.source === "scope"),
        scope,
      );
  }
  const cost = uses.has("cost") ? costOf(subject) : undefined;
  if (cost !== undefined) facts.cost = cost;
  if (uses.has("requester")) facts.requester = new RequesterFact(caller);
  if (uses.has("agent")) facts.agent = new AgentFact(caller);
  if (uses.has("session")) facts.session = new SessionFact(caller);
  if (uses.has("time")) facts.time = time();
  return facts;
}

/** A clock face in one time zone. Writing a date out is slow, so one minute is worked out once. */
export function clockFace(timeZone: string): (now: number) => TimeFact {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  let known: { readonly minute: number; readonly fact: TimeFact } | undefined;
  return (now) => {
    const minute = Math.floor(now / 60_000);
    if (known?.minute !== minute) {
      const parts = format.formatToParts(now).map(({ type, value }) => [type, value] as const);
      known = { minute, fact: new TimeFact(Object.fromEntries(parts)) };
    }
    return known.fact;
  };
}
