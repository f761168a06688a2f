import { existsSync } from "node:fs";
import { join } from "node:path";
import { contentAnalyser } from "../analysers/index.js";
import type { Config } from "../config/schema.js";
import { openStateFolder } from "../config/state-folder.js";
import type { Gate, GateOptions } from "../core/gate.js";
import type { Notice, Store } from "../core/ports.js";
import { createGate } from "../create-gate.js";
import { gatePolicy, type PolicyEvent, watchPolicy } from "../policy/index.js";
import { createCheckpointer, createRetention, fileSink, type InstanceKeys, sealedStore } from "../proof/index.js";
import { channelsFrom } from "./channels/open-desk.js";
import { migrate } from "./identity/migrate.js";
import { identityAt, isPostgres, openIdentityDatabase } from "./identity-database.js";
import { openKeys } from "./instance-keys.js";
import type { Mount } from "./mounts.js";
import { FIRST_SWEEP } from "./open-service.js";
import { isOnNetwork, openStore } from "./open-store.js";
import { type Served, serve } from "./serve.js";
import { agreeOnTerms } from "./store-terms.js";

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
  const data = openStateFolder(config.data);
  const keys = openKeys(config);
  const store = await openOnTerms(config, keys);
  if (isOnNetwork(config.store) && !isPostgres(identityAt(config))) {
    notice("identity.local", {
      why: "People and keys are in a file here: instances on other machines do not know them.",
    });
  }
  const database = openIdentityDatabase(config);
  // What counts the workspaces starts before the rest of identity does.
  await migrate(database, Date.now());
  const policy = openPolicy(config, data, notice);
  const gate = createGate({
    store,
    maskKey: keys.mask,
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
      signingKey: keys.signing,
      privacy: config.privacy,
      checkpointer: await createCheckpointer({
        store,
        key: keys.signing,
        trusted: keys.trusted,
        sinks: [fileSink(join(data, "checkpoints"))],
        workspaces,
        notice,
      }),
      retention: createRetention({
        store,
        level: (id) => gate.privacy(id, config.privacy),
        workspaces,
        notice,
        key: keys.kept,
        firstMs: FIRST_SWEEP,
      }),
    },
  });
  let closing: Promise<void> | undefined;
  return {
    ...served,
    close: () =>
      (closing ??= (async () => {
        policy?.close();
        served.service.proof.retention.close();
        await served.service.proof.checkpointer?.close();
        await served.close();
        await database.close();
      })()),
  };
}

/** The store as all instances use it: with the same secret, and sealed when that was chosen. */
async function openOnTerms(config: Config, { fingerprints, sealing }: InstanceKeys): Promise<Store> {
  const store = await openStore(config);
  const sealed = config.seal === "on";
  try {
    await agreeOnTerms(store, { fingerprints, sealed });
  } catch (error) {
    await store.close();
    throw error;
  }
  return sealed ? sealedStore(store, sealing) : store;
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
