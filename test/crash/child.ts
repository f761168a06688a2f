import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** What a child has told: a step the gate had acknowledged to it. */
export interface Told {
  readonly step: "ready" | "held" | "decided" | "ended";
  readonly approvalId?: string;
  readonly as?: string;
}

export type Point = "none" | "before-effect" | "during-effect" | "after-effect";

/** A file to share and a place for effects, removed after the test. */
export async function place(): Promise<{ readonly file: string; readonly sink: string }> {
  const directory = await mkdtemp(join(tmpdir(), "countersign-crash-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return { file: join(directory, "gate.db"), sink: join(directory, "effects.log") };
}

/** A real process with a gate of its own. */
export class Child {
  readonly told: Told[] = [];
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly #process: ChildProcess;
  readonly #wanted: {
    wanted: (told: Told) => boolean;
    resolve: (told: Told) => void;
    reject: (error: Error) => void;
  }[] = [];
  #errors = "";

  constructor(
    { file, sink }: { file: string; sink: string },
    mode: "host" | "decide-only" = "host",
    point: Point = "none",
  ) {
    const script = fileURLToPath(new URL("./child.mjs", import.meta.url));
    this.#process = spawn(process.execPath, [script, file, sink, mode, point], { stdio: ["pipe", "pipe", "pipe"] });
    this.#process.stderr?.on("data", (chunk) => {
      this.#errors += String(chunk);
    });
    // Whatever is written to a child that was killed is meant to be lost.
    this.#process.stdin?.on("error", () => {});
    createInterface({ input: this.#process.stdout as NodeJS.ReadableStream }).on("line", (line) => this.#heard(line));
    this.exited = new Promise((resolve) => {
      this.#process.on("close", (code, signal) => {
        resolve(signal ?? code ?? 0);
        for (const { reject } of this.#wanted.splice(0)) reject(new Error(`the child ended early: ${this.#errors}`));
      });
    });
    onTestFinished(() => void this.#process.kill("SIGKILL"));
  }

  /** The next thing it tells that is wanted, also if it was told already. */
  hears(wanted: (told: Told) => boolean): Promise<Told> {
    const known = this.told.find(wanted);
    return known === undefined
      ? new Promise((resolve, reject) => this.#wanted.push({ wanted, resolve, reject }))
      : Promise.resolve(known);
  }

  send(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** Lets it finish what it does and end by itself. */
  end(): Promise<number | NodeJS.Signals> {
    this.#process.stdin?.end();
    return this.exited;
  }

  kill(): Promise<number | NodeJS.Signals> {
    this.#process.kill("SIGKILL");
    return this.exited;
  }

  #heard(line: string): void {
    const told = JSON.parse(line) as Told;
    this.told.push(told);
    for (const waiting of this.#wanted.filter(({ wanted }) => wanted(told))) {
      this.#wanted.splice(this.#wanted.indexOf(waiting), 1);
      waiting.resolve(told);
    }
  }
}
