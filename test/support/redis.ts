import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { isCi } from "../../scripts/setup/system-packages.mjs";

const PROGRAM = "redis-server";

const present = (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, PROGRAM)));

/** Why tests that need a Redis cannot run here. In CI that is a failure, never a skip. */
export const redisMissing: string | undefined = present ? undefined : `${PROGRAM} is not installed`;
if (redisMissing !== undefined && isCi(process.env["CI"])) throw new Error(`${redisMissing}; in CI no test may skip`);

/** What a title says after the name of a suite that is skipped. */
export const skipped = redisMissing === undefined ? "" : ` (skipped: ${redisMissing})`;

type Settings = Readonly<Record<string, string>>;

const DURABLE: Settings = { appendonly: "yes", appendfsync: "always", save: "" };
const ATTEMPTS = 10;

/** A real Redis of our own: fresh folder, free port of the loopback, ended by the process that was started. */
export class RedisServer {
  readonly folder: string;
  readonly settings: Settings;
  port = 0;
  #process: ChildProcess | undefined;

  private constructor(folder: string, settings: Settings) {
    this.folder = folder;
    this.settings = settings;
  }

  /** With every write flushed unless told otherwise. `inMemory` keeps the files where the system has memory for them. */
  static async start(settings: Settings = {}, { inMemory = false } = {}): Promise<RedisServer> {
    const place = inMemory && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
    const server = new RedisServer(mkdtempSync(join(place, "countersign-redis-")), { ...DURABLE, ...settings });
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** On the port it had, so that clients find it again. Another process may take a port that was free a moment ago. */
  async start(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const port = this.port === 0 ? await freePort() : this.port;
      if (await this.#launch(port)) {
        this.port = port;
        return;
      }
    }
    throw new Error("Redis could not be started");
  }

  async #launch(port: number): Promise<boolean> {
    const fixed = { port: String(port), bind: "127.0.0.1", dir: this.folder, daemonize: "no", "protected-mode": "yes" };
    const args = Object.entries({ ...this.settings, ...fixed }).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "ignore"] });
    this.#process = child;
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes("Ready to accept connections")) continue;
      child.stdout.resume();
      return true;
    }
    return false;
  }

  /** Ends it as a crash does, unless another signal is named, and waits until it is gone. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
