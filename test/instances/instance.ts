import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import { defineTool } from "../../src/index.js";
import { type StartOptions, startServer } from "../../src/server/index.js";

/** Where people meet all instances: what a load balancer's address is to real ones. */
const ORIGIN = "http://localhost:4802";
export const SECRET = "one secret for all of them, 32 characters or more".replaceAll(/[ ,]+/g, "-");

export interface InstanceOptions {
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
  return { served, data, ask: (request: Asked) => ask(served.url, request) };
}

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(url: string, { method = "GET", path, body, headers = {} }: Asked) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { origin: ORIGIN, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const read = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, body: read, headers: response.headers };
}

type Instance = Awaited<ReturnType<typeof startInstance>>;

/** The owner, signed in at one instance with a session of their own. */
export async function signIn({ served, ask: request }: Instance): Promise<Record<string, string>> {
  const token = new URL(await served.signInLink()).hash.slice("#t=".length);
  const { status, headers } = await request({ method: "POST", path: "/v1/auth/link", body: { token } });
  if (status !== 200) throw new Error(`signing in gave ${status}`);
  return { cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "", origin: ORIGIN };
}

interface Issued {
  readonly agentId: string;
  readonly keyId: string;
  readonly headers: Record<string, string>;
}

/** An agent of the owner's, made at one instance. */
export async function newAgent({ ask: request }: Instance, owner: Record<string, string>): Promise<Issued> {
  const body = { name: "load", scopes: ["task.*"], devices: "none" };
  const made = await request({ method: "POST", path: "/v1/agents", body, headers: owner });
  if (made.status !== 201) throw new Error(`making an agent gave ${made.status}: ${JSON.stringify(made.body)}`);
  const { agentId, keyId, apiKey } = made.body as Record<string, string>;
  return { agentId: agentId ?? "", keyId: keyId ?? "", headers: { authorization: `Bearer ${apiKey}` } };
}
