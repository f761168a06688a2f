import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { contentAnalyser } from "../analysers/index.js";
import type { Config } from "../config/schema.js";
import type { Gate, GateOptions } from "../core/gate.js";
import type { Notice } from "../core/ports.js";
import { createGate } from "../create-gate.js";
import { gatePolicy, type PolicyEvent, watchPolicy } from "../policy/index.js";
import {
  createCheckpointer,
  createRetention,
  fileSink,
  generateSigningKey,
  loadKeyText,
  parseSigningKey,
} from "../proof/index.js";
import { channelsFrom } from "./channels/open-desk.js";
import { type IdentityDatabase, postgresIdentityDatabase, sqliteIdentityDatabase } from "./identity/index.js";
import { migrate } from "./identity/migrate.js";
import type { Mount } from "./mounts.js";
import { openStore } from "./open-store.js";
import { type Served, serve } from "./serve.js";
import { openStateFolder } from "./state-folder.js";

export interface StartOptions {
  readonly config: Config;
  readonly notice: Notice;
  /** Tools that run in this process. */
  readonly tools?: GateOptions["tools"];
  /** Made with the gate, once it stands. */
  readonly mounts?: (gate: Gate) => readonly Mount[];
  readonly web?: string | false;
}

/** A whole server from its configuration: store, policy, proof, people, and the doors to them. */
export async function startServer({ config, notice, tools, mounts, web }: StartOptions): Promise<Served> {
  const data = await openStateFolder(config.data);
  const store = await openStore(config.store, data);
  // Redis carries the engine alone: people, keys and settings stay in SQL beside it.
  const database: IdentityDatabase = /^postgres(ql)?:/.test(config.store)
    ? postgresIdentityDatabase({ url: config.store })
    : sqliteIdentityDatabase(join(data, "identity.db"));
  // What counts the workspaces starts before the rest of identity does.
  await migrate(database, Date.now());
  const policy = openPolicy(config, data, notice);
  const signingKey = parseSigningKey(
    loadKeyText({ path: join(data, "signing.key"), env: "COUNTERSIGN_SIGNING_KEY" }, () =>
      generateSigningKey("countersign"),
    ),
  );
  const maskKey = Buffer.from(
    loadKeyText({ path: join(data, "mask.key"), env: "COUNTERSIGN_MASK_KEY" }, () =>
      randomBytes(32).toString("base64url"),
    ),
    "base64url",
  );
  const gate = createGate({
    store,
    maskKey,
    notice,
    analysers: [contentAnalyser()],
    limits: { ttl: config.ttl, offlineTtl: config.offlineTtl },
    ...(tools === undefined ? {} : { tools }),
    ...(policy === undefined ? {} : gatePolicy(policy.current)),
  });
  const workspaces = async () =>
    (await database.all<{ id: string }>("SELECT id FROM identity_workspace ORDER BY id")).map(({ id }) => id);
  const channels = channelsFrom(config.channels, data, process.env);
  const served = await serve(gate, {
    host: config.host,
    port: config.port,
    identity: database,
    notice,
    writeLimits: [{ per: "caller", max: config.writesPerMinute, window: 60_000 }],
    allowedHosts: config.allowedHosts,
    ...(config.origins.length === 0 ? {} : { origins: config.origins }),
    ...(mounts === undefined ? {} : { mounts: mounts(gate) }),
    ...(policy === undefined ? {} : { policy: { current: policy.current, file: policy.file } }),
    ...(web === undefined ? {} : { web }),
    ...(channels === undefined ? {} : { channels }),
    proof: {
      signingKey,
      privacy: config.privacy,
      checkpointer: await createCheckpointer({
        store,
        key: signingKey,
        sinks: [fileSink(join(data, "checkpoints"))],
        workspaces,
        notice,
      }),
      retention: createRetention({ store, level: (id) => gate.privacy(id, config.privacy), workspaces, notice }),
    },
  });
  return {
    ...served,
    async close() {
      policy?.close();
      served.service.proof.retention?.close();
      await served.service.proof.checkpointer?.close();
      await served.close();
      await database.close();
    },
  };
}

function openPolicy(config: Config, data: string, notice: Notice) {
  const file = config.policy ?? join(data, "countersign.policy.yaml");
  // A file that was named has to be there; the usual one may be missing.
  if (config.policy === undefined && !existsSync(file)) return undefined;
  const watched = watchPolicy(file, (event) => tell(notice, event));
  return { file, current: watched.current, close: () => watched.close() };
}

function tell(notice: Notice, event: PolicyEvent): void {
  if (event.type === "changed") notice("policy.changed", { version: event.policy.version });
  else notice("policy.refused", { why: event.message });
}
