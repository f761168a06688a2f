import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { ask, ORIGIN, SECRET } from "./http.js";

const SCRIPT = fileURLToPath(new URL("./server.mjs", import.meta.url));

interface Ready {
  readonly url: string;
  readonly link?: string;
}

/** One place for an instance: a data folder of its own, and the process that serves there now. */
interface Slot {
  readonly data: string;
  process: ChildProcess | undefined;
  url: string;
}

interface ClusterOptions {
  readonly store: string;
  readonly identity?: string;
  readonly size: number;
}

/** Equal server processes on one store. Nothing leads them, and whoever asks may ask any of them. */
export class Cluster {
  readonly sink: string;
  /** What instances wrote to their error output, of which each line is trouble. */
  readonly said: string[] = [];
  /** Instances that ended although nobody killed them. */
  died = 0;
  /** The way in, as the first instance told it. */
  link = "";
  readonly #slots: readonly Slot[];
  readonly #env: NodeJS.ProcessEnv;
  #turn = 0;

  static async start(options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(options);
    // One after the other at first: the first one makes the owner and the way in.
    await cluster.restart(0);
    await Promise.all(Array.from({ length: options.size - 1 }, (_, index) => cluster.restart(index + 1)));
    return cluster;
  }

  private constructor({ store, identity, size }: ClusterOptions) {
    const folder = mkdtempSync(join(tmpdir(), "countersign-cluster-"));
    onTestFinished(async () => {
      await Promise.all(this.#slots.map((_, index) => this.kill(index)));
      rmSync(folder, { recursive: true, force: true });
    });
    this.sink = join(folder, "effects.log");
    this.#slots = Array.from({ length: size }, (_, index) => {
      const data = join(folder, String(index));
      mkdirSync(data, { mode: 0o700 });
      return { data, process: undefined, url: "" };
    });
    this.#env = {
      ...process.env,
      COUNTERSIGN_STORE: store,
      COUNTERSIGN_SECRET: SECRET,
      COUNTERSIGN_PORT: "0",
      COUNTERSIGN_ORIGINS: ORIGIN,
      COUNTERSIGN_WRITES_PER_MINUTE: "1000000",
      EFFECTS: this.sink,
      ...(identity === undefined ? {} : { COUNTERSIGN_IDENTITY: identity }),
    };
  }

  get size(): number {
    return this.#slots.length;
  }

  /** The address of some instance that runs, each in its turn; undefined while none does. */
  next(): string | undefined {
    const running = this.#slots.filter((slot) => slot.process !== undefined && slot.url !== "");
    return running[this.#turn++ % running.length]?.url;
  }

  async kill(index: number): Promise<void> {
    const slot = this.#slots[index] as Slot;
    const child = slot.process;
    slot.process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** Starts it, again and again while it cannot, as whatever supervises processes would. */
  async restart(index: number): Promise<void> {
    const slot = this.#slots[index] as Slot;
    for (let attempt = 0; attempt < 20; attempt++) {
      const ready = await this.#launch(slot);
      if (ready === undefined) continue;
      slot.url = ready.url;
      this.link ||= ready.link ?? "";
      return;
    }
    throw new Error(`An instance does not start. The last it said: ${this.said.slice(-5).join("\n")}`);
  }

  async #launch(slot: Slot): Promise<Ready | undefined> {
    slot.url = "";
    const env = { ...this.#env, COUNTERSIGN_DATA: slot.data };
    const child = spawn(process.execPath, [SCRIPT], { env, stdio: ["ignore", "pipe", "pipe"] });
    slot.process = child;
    createInterface({ input: child.stderr }).on("line", (line) =>
      this.said.push(`${this.#slots.indexOf(slot)}: ${line}`),
    );
    const ended = once(child, "exit").then(() => undefined);
    const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended])) ?? [];
    if (line === undefined) return undefined;
    child.once("exit", () => {
      if (slot.process !== child) return;
      slot.process = undefined;
      this.died++;
    });
    return JSON.parse(String(line)) as Ready;
  }

  #lastOf(index: number): string {
    return this.said
      .filter((line) => line.startsWith(`${index}: `))
      .slice(-20)
      .join("\n");
  }

  /** What each instance that cannot serve says about it; none when all can. */
  async unready(): Promise<readonly string[]> {
    const answers = this.#slots.map(async ({ url, process: child }, index) => {
      if (url === "" || child === undefined) return `${index} does not run; it said: ${this.#lastOf(index)}`;
      const answer = await ask(url, { path: "/readyz" }).catch((error: unknown) => String(error));
      if (typeof answer === "string") return `${index}: ${answer}`;
      return answer.status === 200 ? undefined : `${index}: ${answer.status} ${JSON.stringify(answer.body)}`;
    });
    return (await Promise.all(answers)).filter((said) => said !== undefined);
  }
}
