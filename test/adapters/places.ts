import type { GateLike } from "../../src/adapters/gate-like.js";
import type { Gate } from "../../src/core/gate.js";
import type { Clock, Store } from "../../src/core/ports.js";
import { createGate } from "../../src/create-gate.js";
import { connectGate, type RemoteGate } from "../../src/remote/index.js";
import { createApp } from "../../src/server/app.js";
import { type IdentityDatabase, sqliteIdentityDatabase } from "../../src/server/identity/index.js";
import { openService } from "../../src/server/open-service.js";
import { allRoutes } from "../../src/server/routes/index.js";
import { listenTo } from "../server/listening.js";
import { ORIGIN } from "../server/world.js";
import { ANN, CALLER } from "./people.js";

/** A gate as an agent has it, and the desk where people answer what it asks. */
interface Place {
  readonly gate: GateLike;
  readonly desk: Gate;
  /** The agent's process is gone, without a word. */
  die(): Promise<void>;
  /** The gate is gone. */
  stop(): Promise<void>;
}

/** Opens one; in one test the second one finds what the first has stored, and the same agent's key. */
export interface Places {
  open(store: Store, clock?: Clock): Promise<Place>;
  close(): Promise<void>;
}

export const PLACES: Readonly<Record<string, (folder: string) => Places>> = {
  "in this process": inProcess,
  "behind a server": (folder) => new BehindServer(folder),
};

function inProcess(): Places {
  const gates: Gate[] = [];
  return {
    async open(store, clock) {
      const gate = createGate({ store, caller: CALLER, ...(clock === undefined ? {} : { clock }) });
      gates.push(gate);
      return { gate, desk: gate, die: () => gate.close(), stop: () => gate.close() };
    },
    async close() {
      for (const gate of gates) await gate.close();
    },
  };
}

/** The real server over HTTP, with a real key; the adapter has what `connectGate` gives. */
class BehindServer implements Places {
  readonly #database: IdentityDatabase;
  readonly #closing: (() => unknown)[] = [];
  #key: string | undefined;

  constructor(folder: string) {
    this.#database = sqliteIdentityDatabase(`${folder}/identity.db`);
    this.#closing.push(() => this.#database.close());
  }

  async open(store: Store, clock?: Clock): Promise<Place> {
    const timed = clock === undefined ? {} : { clock };
    // Nobody is online at this server, which would give people more time than they have in one process.
    const desk = createGate({ store, limits: { offlineTtl: 300_000 }, ...timed });
    const writeLimits = [{ per: "caller", max: 1_000, window: 60_000 }] as const;
    const service = await openService({
      gate: desk,
      database: this.#database,
      origins: [ORIGIN],
      writeLimits,
      ...timed,
    });
    const { url, close } = await listenTo(createApp(service, allRoutes(service)), service);
    this.#key ??= await firstKey(service);
    const { gate, die } = agent(url, this.#key);
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= close()
        .then(() => desk.close())
        .then(() => service.close());
      return stopped;
    };
    this.#closing.push(stop, die);
    return { gate, desk, die, stop };
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
  }
}

/** A process with its connection: once it is dead, it neither hears nor says anything. */
function agent(url: string, key: string): { readonly gate: RemoteGate; readonly die: () => Promise<void> } {
  let dead = false;
  const living: typeof fetch = async (input, init) => {
    const response = dead ? undefined : await fetch(input, init);
    return dead || response === undefined ? new Promise<never>(() => {}) : response;
  };
  const die = async () => {
    dead = true;
  };
  return { gate: connectGate({ url, key, fetch: living }), die };
}

async function firstKey({ identity }: Awaited<ReturnType<typeof openService>>): Promise<string> {
  const { userId, workspaceId } = ANN;
  const first = await identity.persons.createFirstOwner({ userId, workspaceId });
  const { session } = await identity.signInLinks.redeem(first?.link.token ?? "");
  const owner = await identity.sessions.enter(session, workspaceId);
  if (owner === undefined) throw new Error("The owner is not a member.");
  const scopes = ["readNote", "sendMail", "delegate", "mcp__notes__*"];
  const { apiKey } = await identity.agents.create(owner, { name: "agent", scopes, devices: "none" });
  return apiKey;
}
