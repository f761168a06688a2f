import { systemClock } from "../../core/clock.js";
import { CountersignError } from "../../core/errors.js";
import type { Clock, Notice } from "../../core/ports.js";
import { Accounts } from "./accounts.js";
import { AgentAccess } from "./agent-access.js";
import { Agents } from "./agents.js";
import { ApiKeys } from "./api-keys.js";
import { requireFresh, type Weakening } from "./authority.js";
import { CliSignIns } from "./cli-sign-in.js";
import type { Context, RelyingParty } from "./context.js";
import type { IdentityDatabase } from "./database.js";
import { Devices } from "./devices.js";
import { type Audit, Events } from "./events.js";
import { Groups } from "./groups.js";
import { Invitations } from "./invitations.js";
import { Limits, type WriteLimit } from "./limits.js";
import { SignInLinks } from "./links.js";
import { Members } from "./members.js";
import { migrate } from "./migrate.js";
import { Names } from "./names.js";
import { Passkeys } from "./passkeys.js";
import { Persons } from "./people.js";
import type { Session } from "./principal.js";
import { Repeats } from "./repeats.js";
import { Sessions } from "./sessions.js";
import { SocketTickets } from "./socket-tickets.js";
import { StepUp } from "./step-up.js";
import { sweep } from "./sweep.js";
import { DeclaredTools } from "./tools.js";
import { Usage } from "./usage.js";

export interface IdentityOptions {
  readonly database: IdentityDatabase;
  readonly relyingParty: RelyingParty;
  readonly audit: Audit;
  readonly clock?: Clock;
  readonly notice?: Notice;
  readonly writeLimits?: readonly WriteLimit[];
  /** Starts although passkeys of another host name exist, which will not work here. */
  readonly acceptNewRelyingParty?: boolean;
}

const FLUSH_EVERY = 1_000;
const SWEEP_EVERY = 60_000;

/** Who people, agents and devices are, and what they may change about it. HTTP stands on top of this and adds no rule. */
export class Identity {
  readonly database: IdentityDatabase;
  readonly persons: Persons;
  readonly members: Members;
  readonly groups: Groups;
  readonly invitations: Invitations;
  readonly signInLinks: SignInLinks;
  readonly sessions: Sessions;
  readonly socketTickets: SocketTickets;
  readonly cliSignIns: CliSignIns;
  readonly passkeys: Passkeys;
  readonly stepUp: StepUp;
  readonly agents: Agents;
  readonly apiKeys: ApiKeys;
  readonly agentAccess: AgentAccess;
  readonly devices: Devices;
  readonly limits: Limits;
  readonly repeats: Repeats;
  readonly tools: DeclaredTools;
  /** Chat accounts of people. */
  readonly accounts: Accounts;
  readonly names: Names;
  readonly #context: Context;
  readonly #usage: Usage;
  #cancelTimer: (() => void) | undefined;
  #sweptAt: number;
  #closed = false;

  constructor(context: Context, writeLimits?: readonly WriteLimit[]) {
    this.#context = context;
    this.#usage = new Usage(context);
    this.#sweptAt = context.clock.now();
    this.database = context.database;
    this.persons = new Persons(context);
    this.members = new Members(context);
    this.groups = new Groups(context);
    this.invitations = new Invitations(context);
    this.signInLinks = new SignInLinks(context);
    this.sessions = new Sessions(context, this.#usage);
    this.socketTickets = new SocketTickets(context);
    this.limits = new Limits(context, writeLimits);
    this.cliSignIns = new CliSignIns(context, this.limits);
    this.passkeys = new Passkeys(context);
    this.stepUp = new StepUp(context);
    this.repeats = new Repeats(context);
    this.tools = new DeclaredTools(context);
    this.accounts = new Accounts(context);
    this.names = new Names(context.database);
    this.agents = new Agents(context);
    this.apiKeys = new ApiKeys(context);
    this.agentAccess = new AgentAccess(context, this.#usage);
    this.devices = new Devices(context, this.agentAccess);
    this.#schedule();
  }

  /** For weakenings that are kept elsewhere: policy, grants, modes. Those in here ask by themselves. */
  requireFresh(session: Session, act: Weakening): Promise<void> {
    return requireFresh(this.#context.database, session, act, this.#context.clock.now());
  }

  /** Writes down what keys and sessions did, and hands over events that still wait. Runs each second by itself. */
  async flush(): Promise<void> {
    await this.#usage.flush();
    await this.#context.events.deliver();
    const now = this.#context.clock.now();
    if (now - this.#sweptAt < SWEEP_EVERY) return;
    this.#sweptAt = now;
    await sweep(this.#context.database, now);
  }

  /** Flushes and stops. The database is left to whoever opened it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelTimer?.();
    await this.flush();
  }

  #schedule(): void {
    this.#cancelTimer = this.#context.clock.timer(FLUSH_EVERY, () => {
      void this.flush()
        .catch((error: Error) => this.#context.notice("identity.flush_failed", { why: error.message }))
        .finally(() => {
          if (!this.#closed) this.#schedule();
        });
    });
  }
}

/** Brings the tables up to date and opens what stands on them. */
export async function openIdentity(options: IdentityOptions): Promise<Identity> {
  const { database, relyingParty, audit, clock = systemClock, notice = () => undefined } = options;
  await migrate(database, clock.now());
  const foreign = await database.get<{ rp_id: string }>(
    "SELECT rp_id FROM identity_passkey WHERE revoked_at IS NULL AND rp_id <> ? LIMIT 1",
    relyingParty.id,
  );
  // A passkey belongs to one host name for ever: starting with another would lock its people out without a word.
  if (foreign !== undefined && options.acceptNewRelyingParty !== true) {
    throw new CountersignError(
      "invalid_request",
      `People here have passkeys for "${foreign.rp_id}", which do not work for "${relyingParty.id}". Start with the old host name, or accept that these people have to be recovered.`,
      { path: "relyingParty.id" },
    );
  }
  const context: Context = {
    database,
    clock,
    relyingParty,
    notice,
    events: new Events(database, clock, audit, notice),
  };
  return new Identity(context, options.writeLimits);
}
