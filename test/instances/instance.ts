import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import { defineTool } from "../../src/index.js";
import { type StartOptions, startServer } from "../../src/server/index.js";
import { type Ask, ask, type Headers, newAgent, ORIGIN, SECRET, signIn } from "./http.js";

interface InstanceOptions {
  readonly store: string;
  readonly identity?: string;
  readonly seal?: "on" | "off";
  /** False for none at all. */
  readonly secret?: string | false;
  readonly notice?: StartOptions["notice"];
}

/** A whole server with a data folder of its own, as if it ran on another machine; only what the options name is shared. */
export async function startInstance({ secret = SECRET, notice = () => undefined, ...settings }: InstanceOptions) {
  const data = mkdtempSync(join(tmpdir(), "countersign-instance-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  if (secret !== false) writeFileSync(join(data, "secret.key"), `${secret}\n`, { mode: 0o600 });
  const flags = { ...settings, data, port: "0", origins: ORIGIN, writesPerMinute: "100000" };
  const served = await startServer({
    config: loadConfig({ environment: {}, flags }).config,
    notice,
    web: false,
    tools: [defineTool({ name: "task.update", effect: "write", riskTier: "R2", confirm: true, execute: () => "done" })],
  });
  onTestFinished(() => served.close());
  const request: Ask = (asked) => ask(served.url, asked);
  return {
    served,
    data,
    ask: request,
    /** A new session of the owner's. */
    signIn: async () => signIn(request, await served.signInLink()),
    newAgent: (owner: Headers) => newAgent(request, owner),
  };
}
