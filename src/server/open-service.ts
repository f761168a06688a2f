import { systemClock } from "../core/clock.js";
import type { Gate } from "../core/gate.js";
import type { Clock, Notice } from "../core/ports.js";
import { NO_REPLY_RULES, type ReplyRules } from "../core/reply-rules.js";
import { createRetention } from "../proof/index.js";
import { automationSource } from "./automation.js";
import { doorsOf } from "./http/credentials.js";
import { type IdentityDatabase, identityPeople, openIdentity, type WriteLimit } from "./identity/index.js";
import { Live } from "./live/live.js";
import { isThere, Presence } from "./live/presence.js";
import type { Proof, Service } from "./service.js";
import { ToolShelf } from "./tools/shelf.js";
import { weakenBySession } from "./weaken.js";

/** Soon after the start: many a process is there for a few minutes a day. */
export const FIRST_SWEEP = 60_000;

export interface ServiceOptions {
  readonly gate: Gate;
  /** Where people, keys and devices are kept. Left open when the service closes. */
  readonly database: IdentityDatabase;
  /** Exact origins, with scheme and port, at which people meet this server; the first one is the one that is printed. */
  readonly origins: readonly string[];
  /** Further names, without a port, under which requests may come: a container's, say. */
  readonly allowedHosts?: readonly string[];
  readonly writeLimits?: readonly WriteLimit[];
  /** Without a retention of the host's own the service has one: what the privacy page says is what happens. */
  readonly proof?: Omit<Proof, "retention"> & Partial<Pick<Proof, "retention">>;
  readonly policy?: Service["policy"];
  readonly replies?: ReplyRules;
  /** The store's clock unless told. */
  readonly clock?: Clock;
  readonly notice?: Notice;
}

/** Puts people, keys and devices around a gate. From here on the gate asks the directory who somebody is. */
export async function openService(options: ServiceOptions): Promise<Service & { close(): Promise<void> }> {
  const { gate, database, origins, clock = clockOf(gate), notice = () => undefined, writeLimits } = options;
  const identity = await openIdentity({
    database,
    clock,
    notice,
    relyingParty: { id: hostOf(origins), name: "Countersign", origins },
    audit: ({ eventId, workspaceId, type, by, content, tightens }) =>
      gate.note({ eventId, workspaceId, type, content: { by, ...content }, tightens }),
    ...(writeLimits === undefined ? {} : { writeLimits }),
  });
  const people = identityPeople(identity);
  const presence = database.shared ? new Presence(database, clock, notice) : undefined;
  const live = new Live({ gate, clock, notice, ...(presence === undefined ? {} : { presence }) });
  if (presence !== undefined) live.reachBy((approval) => isThere(presence, people, approval));
  const tools = new ToolShelf(gate, identity, clock, notice);
  const { privacy = "minimal", retention, ...proven } = options.proof ?? {};
  const ownRetention =
    retention ??
    createRetention({
      store: gate.store,
      level: (workspaceId) => gate.privacy(workspaceId, privacy),
      workspaces: () => identity.persons.allWorkspaces(),
      firstMs: FIRST_SWEEP,
      clock,
      notice,
    });
  const service: Service = {
    gate,
    tools,
    identity,
    doors: doorsOf(origins, options.allowedHosts),
    live,
    clock,
    notice,
    proof: { privacy, retention: ownRetention, ...proven },
    replies: options.replies ?? NO_REPLY_RULES,
    ...(options.policy === undefined ? {} : { policy: options.policy }),
  };
  gate.attach({
    people,
    online: (approval) => live.online(approval),
    weaken: weakenBySession(identity),
    sources: [automationSource(identity)],
  });
  await tools.open();
  return {
    ...service,
    async close() {
      if (retention === undefined) ownRetention.close();
      live.close();
      await presence?.close();
      await tools.close();
      await identity.close();
    },
  };
}

/**
 * One time for all instances. By a clock of its own, one that is ahead would end others' sessions and codes, forget proofs that may
 * still be shown a second time, and begin limits anew that others still count.
 */
function clockOf({ store }: Gate): Clock {
  return { ...systemClock, now: () => store.time() };
}

/** Passkeys are bound to the host name, for ever. */
function hostOf(origins: readonly string[]): string {
  return new URL(origins[0] ?? "").hostname;
}
