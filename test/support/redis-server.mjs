// A real Redis of our own: fresh folder, free port of the loopback, ended by the process that was started. For tests and bench.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

/** @typedef {Readonly<Record<string, string>>} Settings */

const PROGRAM = "redis-server";
const DURABLE = { appendonly: "yes", appendfsync: "always", save: "" };
const ATTEMPTS = 10;

export const hasRedis = (process.env["PATH"] ?? "")
  .split(delimiter)
  .some((folder) => existsSync(join(folder, PROGRAM)));

/** Waits for the end of whoever asked for the server, in whatever way it ends, and then ends the server. */
const GUARD = 'cat > /dev/null; kill -9 "$1"; rm -rf "$2"';

export class RedisServer {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #guard;
  port = 0;

  /** @param {string} folder @param {Settings} settings */
  constructor(folder, settings) {
    this.folder = folder;
    this.settings = settings;
  }

  /**
   * With every write flushed unless told otherwise. `inMemory` keeps the files where the system has memory for them.
   * @param {Settings} [settings]
   */
  static async start(settings = {}, { inMemory = false } = {}) {
    const place = inMemory && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
    const server = new RedisServer(mkdtempSync(join(place, "countersign-redis-")), { ...DURABLE, ...settings });
    await server.start();
    return server;
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  /**
   * On the port it had, so that clients find it again. Another process may take a port that was free a moment ago.
   * @param {Settings} [settings] that differ this time
   */
  async start(settings = {}) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const port = this.port === 0 ? await freePort() : this.port;
      if (await this.#launch(port, settings)) {
        this.port = port;
        return;
      }
    }
    throw new Error("Redis could not be started");
  }

  /** @param {number} port @param {Settings} settings */
  async #launch(port, settings) {
    const fixed = { port: String(port), bind: "127.0.0.1", dir: this.folder, daemonize: "no" };
    const args = Object.entries({ ...this.settings, ...settings, ...fixed }).flatMap(([name, value]) => [
      `--${name}`,
      value,
    ]);
    const child = spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "ignore"] });
    this.#process = child;
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes("Ready to accept connections")) continue;
      child.stdout.resume();
      const guarded = ["-c", GUARD, "guard", String(child.pid), this.folder];
      this.#guard = spawn("sh", guarded, { stdio: ["pipe", "ignore", "ignore"] });
      return true;
    }
    return false;
  }

  /** Ends it as a crash does, unless another signal is named, and waits until it is gone. */
  async kill(/** @type {NodeJS.Signals} */ signal = "SIGKILL") {
    // First, for the number of a process that is gone may be given to another.
    this.#guard?.kill("SIGKILL");
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  async stop() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
