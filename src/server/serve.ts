import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MessageBus } from "../channels/bus.js";
import { CountersignError } from "../core/errors.js";
import type { Gate } from "../core/gate.js";
import { type App, createApp } from "./app.js";
import { type ChannelSetup, openDesk, usualReplies } from "./channels/open-desk.js";
import { webhookRoutes } from "./channels/webhooks.js";
import { nodeListener } from "./http/node-listener.js";
import { respond } from "./http/respond.js";
import { type IdentityDatabase, linkUrl, sqliteIdentityDatabase } from "./identity/index.js";
import { identityPath } from "./identity-path.js";
import { drain, listen } from "./listen.js";
import { attachSockets } from "./live/sockets.js";
import { type Mount, mounted } from "./mounts.js";
import { openService, type ServiceOptions } from "./open-service.js";
import { allRoutes } from "./routes/index.js";
import type { Service } from "./service.js";
import { webFiles } from "./web-files.js";

export interface ServeOptions
  extends Pick<ServiceOptions, "proof" | "policy" | "allowedHosts" | "writeLimits" | "clock" | "notice"> {
  /** `COUNTERSIGN_PORT` or 4747 unless said; 0 takes any free one. */
  readonly port?: number;
  /** The address to listen at; this machine alone unless said. */
  readonly host?: string;
  /** Where people meet the server, with scheme and port, when that is not `http://localhost:PORT`: behind a proxy, say. */
  readonly origins?: readonly string[];
  /** Where people, keys and devices are kept: a file, or an open database. With a gate that forgets, so does this. */
  readonly identity?: string | IdentityDatabase;
  /** Chat platforms on which people answer; `channelsFrom` reads them from a file. */
  readonly channels?: ChannelSetup;
  /** Further handlers for signed-in people, such as an assistant's chat. */
  readonly mounts?: readonly Mount[];
  /** The folder of the built pages; `false` serves none. */
  readonly web?: string | false;
}

export interface Served {
  /** Where people go. */
  readonly url: string;
  readonly service: Service;
  /** A new one-time link that signs the owner in. Whoever holds it is the owner: show it to them alone. */
  signInLink(): Promise<string>;
  /** Carries what people write in chats to an agent; only with channels. */
  readonly bus?: MessageBus;
  /** Who belongs to a workspace now, by the names they chose. */
  people(workspaceId: string): Promise<readonly { readonly userId: string; readonly name: string }[]>;
  /** True when nobody had been here before. */
  readonly firstRun: boolean;
  /** Lets what runs end, then closes the gate and everything around it. */
  close(): Promise<void>;
}

const DEFAULT_PORT = 4747;
/** Slow senders hold nothing open for longer; of what is sent twice no part is left out. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, joinDuplicateHeaders: true };

/** Puts inbox, API and live events on a gate in this process. The gate's own caller is the owner of the first workspace. */
export async function serve(gate: Gate, options: ServeOptions = {}): Promise<Served> {
  const { host = "127.0.0.1", port = defaultPort(), mounts = [] } = options;
  // The address is known before anything else is: passkeys and cookies are bound to it.
  let answer: App["answer"] = async () => respond(503, undefined);
  const leaving = new AbortController();
  const server = createServer(
    LIMITS,
    nodeListener((request) => answer(request), leaving.signal),
  );
  const url = await listen(server, host, port);
  const database = await openDatabase(gate, options.identity).catch((error: unknown) => {
    server.close();
    throw error;
  });
  const origins = options.origins ?? [url];
  const { channels } = options;
  const replies = channels && { replies: usualReplies(channels) };
  const service = await openService({ ...options, gate, database: database.open, origins, ...replies }).catch(
    async (error: unknown) => {
      server.close();
      await database.close();
      throw error;
    },
  );
  const office = channels && openDesk(service, channels);
  const webhooks = webhookRoutes(channels?.channels ?? []);
  const routes = [...allRoutes(service), ...webhooks, ...mounts.map(mounted)];
  const app = createApp(service, routes, pagesOf(options.web));
  answer = app.answer;
  const sockets = attachSockets(service, server);
  const owner = gate.caller;
  let closing: Promise<void> | undefined;
  const close = () =>
    (closing ??= (async () => {
      // Sockets and streams never end by themselves; their readers come back to whoever serves them next.
      leaving.abort();
      sockets.close();
      service.live.close();
      await drain(server);
      await office?.desk.close();
      await gate.close();
      await service.close();
      await database.close();
    })());
  let firstRun: boolean;
  try {
    firstRun = (await service.identity.persons.createFirstOwner(owner)) !== undefined;
    await office?.desk.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    service,
    ...(office === undefined ? {} : { bus: office.bus }),
    firstRun,
    people: (workspaceId) => service.identity.members.present(workspaceId),
    signInLink: async () =>
      linkUrl(
        service.doors.origins[0] ?? url,
        "sign_in",
        (await service.identity.signInLinks.create(owner.userId)).token,
      ),
    close,
  };
}

function defaultPort(): number {
  const named = process.env["COUNTERSIGN_PORT"] ?? "";
  if (named === "") return DEFAULT_PORT;
  if (/^[0-9]{1,5}$/.test(named) && Number(named) < 65_536) return Number(named);
  throw new CountersignError("invalid_request", "COUNTERSIGN_PORT: is a whole number from 0 to 65535.");
}

function pagesOf(web: string | false | undefined): ReturnType<typeof webFiles> | undefined {
  if (web === false) return undefined;
  const folder = web ?? fileURLToPath(new URL("../web", import.meta.url));
  return existsSync(folder) ? webFiles(folder) : undefined;
}

/** People are remembered for as long as the gate remembers: with a store in memory nothing stays on disk. */
async function openDatabase(
  gate: Gate,
  given: ServeOptions["identity"],
): Promise<{ readonly open: IdentityDatabase; close(): Promise<void> }> {
  if (given !== undefined && typeof given !== "string") return { open: given, close: async () => undefined };
  const passing = given === undefined && !gate.store.promises().durable;
  const folder = passing ? await mkdtemp(join(tmpdir(), "countersign-")) : undefined;
  const open = sqliteIdentityDatabase(folder === undefined ? (given ?? identityPath()) : join(folder, "identity.db"));
  return {
    open,
    async close() {
      await open.close();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
