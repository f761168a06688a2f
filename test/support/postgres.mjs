// A real Postgres server for tests and benchmarks: its own folder, its own free port on the loopback, no socket file, gone at
// the end. A small shell stands guard: when the process that asked dies in any way, it ends the server and removes the folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isCi } from "../../scripts/setup/system-packages.mjs";

const ROOT = "/usr/lib/postgresql";
const USER = "countersign";
const START_ATTEMPTS = 5;
const GUARD = `"$@" & server=$!; cat > /dev/null; kill -INT $server 2> /dev/null; wait $server; [ -e "$FOLDER/keep" ] || rm -rf "$FOLDER"`;

/** Why there is none here, as a reason to skip; in CI nothing may be skipped. @returns {string | undefined} */
export function postgresMissing() {
  if (binaries() !== undefined) return undefined;
  const reason = "Postgres is not installed: apt-get install postgresql";
  if (isCi(process.env["CI"])) throw new Error(reason);
  return reason;
}

/** The newest one that is installed. */
function binaries() {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(ROOT, version, "bin")).find((folder) => existsSync(join(folder, "initdb")));
}

/** @typedef {{ uid: number, gid: number } | {}} Owner Postgres refuses to run as root. */

/** @returns {Owner} */
function owner() {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((text) => text.startsWith("postgres:"));
  if (line === undefined) throw new Error('There is no user "postgres" to run the server as.');
  const [, , uid, gid] = line.split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

/** @param {string[]} command @param {Owner} as */
async function run(command, as) {
  const child = spawn(command[0] ?? "", command.slice(1), { ...as, stdio: ["ignore", "pipe", "pipe"], cwd: "/" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command[0]} failed: ${output}`);
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** @param {string} place */
function newFolder(place) {
  return mkdtempSync(join(place, "countersign-postgres-"));
}

export class PostgresServer {
  #folder;
  #settings;
  #as = owner();
  #bin = binaries() ?? "";
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #guard;
  #log = "";
  port = 0;

  /** @param {string} folder @param {readonly string[]} settings */
  constructor(folder, settings) {
    this.#folder = folder;
    this.#settings = settings;
  }

  /** @param {string} [database] */
  url(database = "postgres") {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  async init() {
    if ("uid" in this.#as) chownSync(this.#folder, this.#as.uid, this.#as.gid);
    const how = ["--no-sync", "--encoding=UTF8", "--locale=C", "--auth=trust", `--username=${USER}`];
    await run([join(this.#bin, "initdb"), "-D", join(this.#folder, "data"), ...how], this.#as);
  }

  /** A standby that follows this one, begun with a copy of it as it is now. */
  async follower() {
    const standby = new PostgresServer(newFolder(dirname(this.#folder)), this.#settings);
    if ("uid" in this.#as) chownSync(standby.#folder, this.#as.uid, this.#as.gid);
    const from = ["-h", "127.0.0.1", "-p", String(this.port), "-U", USER, "--checkpoint=fast", "--no-sync", "-R"];
    await run([join(this.#bin, "pg_basebackup"), "-D", join(standby.#folder, "data"), ...from], this.#as);
    await standby.start();
    return standby;
  }

  /** Starts it, on the same port when it ran before. */
  async start() {
    for (let attempt = 1; ; attempt++) {
      const port = this.port || (await freePort());
      if (await this.#startOn(port)) {
        this.port = port;
        return;
      }
      if (attempt === START_ATTEMPTS) throw new Error(`Postgres did not start: ${this.#log}`);
    }
  }

  /** @param {number} port @returns {Promise<boolean>} */
  async #startOn(port) {
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", `port=${port}`, ...this.#settings];
    const command = [join(this.#bin, "postgres"), "-D", join(this.#folder, "data")];
    const args = settings.flatMap((setting) => ["-c", setting]);
    this.#log = "";
    const guard = spawn("sh", ["-c", GUARD, "sh", ...command, ...args], {
      ...this.#as,
      stdio: ["pipe", "ignore", "pipe"],
      cwd: "/",
      // A group of its own: what ends the tests by a signal to all of theirs leaves the guard to clean up after them.
      detached: true,
      env: { ...process.env, FOLDER: this.#folder },
    });
    this.#guard = guard;
    const ready = new Promise((resolve) => {
      guard.stderr?.on("data", (data) => {
        this.#log += data;
        if (/ready to accept (read-only )?connections/.test(this.#log)) resolve(true);
        if (/could not create|lock file|shared memory block|is shut down/.test(this.#log)) resolve(false);
      });
      guard.on("close", () => resolve(false));
    });
    if (await ready) return true;
    await this.#end(true);
    return false;
  }

  /** The end without a warning, as a power cut would be, except that the machine keeps its memory. */
  async crash() {
    const pid = Number(readFileSync(join(this.#folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
    process.kill(pid, "SIGKILL");
    await this.#end(true);
  }

  /**
   * The end of the whole machine: of the log remains what was flushed, up to this place in this file of it.
   * @param {{ file: string, at: number }} flushed
   */
  async powerCut({ file, at }) {
    await this.crash();
    const log = join(this.#folder, "data", "pg_wal");
    for (const name of readdirSync(log).filter((each) => /^[0-9A-F]{24}$/.test(each) && each >= file)) {
      const path = join(log, name);
      const from = name === file ? at : 0;
      const handle = openSync(path, "r+");
      writeSync(handle, Buffer.alloc(statSync(path).size - from), 0, undefined, from);
      closeSync(handle);
    }
  }

  /** Ends it and removes everything. */
  async stop() {
    await this.#end(false);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @param {boolean} keep whether it will start again */
  async #end(keep) {
    const keeper = join(this.#folder, "keep");
    if (keep) writeFileSync(keeper, "");
    else rmSync(keeper, { force: true });
    const guard = this.#guard;
    this.#guard = undefined;
    if (guard === undefined || guard.exitCode !== null) return;
    const closed = once(guard, "close");
    guard.stdin?.end();
    await closed;
  }
}

/**
 * A server that runs. In memory where the system has such a place: most tests ask what is kept, not how fast a disk is.
 * @param {{ onDisk?: boolean, settings?: readonly string[] }} [options] settings as in postgresql.conf
 */
export async function startPostgres({ onDisk = false, settings = [] } = {}) {
  const reason = postgresMissing();
  if (reason !== undefined) throw new Error(reason);
  const place = !onDisk && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  mkdirSync(place, { recursive: true });
  const server = new PostgresServer(newFolder(place), settings);
  try {
    await server.init();
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}
