import { Worker } from "node:worker_threads";
import { CountersignError } from "../../core/errors.js";
import type { Applied } from "../../core/ports.js";
import type { WorkerReply, WorkerRequest } from "../sqlite-worker.js";
import { unpackAnswers } from "./message.js";

interface Waiting {
  readonly resolve: (applied: readonly Applied[]) => void;
  readonly reject: (error: Error) => void;
}

/** The writing thread, as seen from the main one. Groups are written in the order they are sent. */
export class Writer {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  readonly #onFatal: (error: Error) => void;
  #exited = false;

  constructor(url: URL, path: string, busyTimeout: number, onFatal: (error: Error) => void) {
    this.#onFatal = onFatal;
    // Of the process's own flags only those about warnings: others (`--input-type`, loaders) are not meant for this module.
    const execArgv = process.execArgv.filter((flag) => /^--(no-warnings$|disable-warning=)/.test(flag));
    this.#worker = new Worker(url, { workerData: { path, busyTimeout }, execArgv });
    this.#worker.on("message", (reply: WorkerReply) => this.#replied(reply));
    this.#worker.on("error", (error) => this.#failed(error));
    this.#worker.on("exit", () => this.#failed(new CountersignError("store_failed", "The SQLite writer has stopped.")));
    // An idle writer holds no process open; one that writes does.
    this.#worker.unref();
  }

  get busy(): boolean {
    return this.#waiting.length > 0;
  }

  /** It could not start, or ended on its own; nothing more is written there. */
  get stopped(): boolean {
    return this.#exited;
  }

  write(request: WorkerRequest): Promise<readonly Applied[]> {
    return new Promise((resolve, reject) => {
      if (this.#exited) return reject(new CountersignError("store_failed", "The SQLite writer has stopped."));
      // What cannot be sent throws here, before anybody waits for an answer to it.
      this.#worker.postMessage(request);
      this.#worker.ref();
      this.#waiting.push({ resolve, reject });
    });
  }

  /** For what the main thread has written: emptying the log takes as long as a dozen commits. */
  emptyLog(): void {
    if (!this.#exited) this.#worker.postMessage("emptyLog");
  }

  async close(): Promise<void> {
    if (this.#exited) return;
    const exited = new Promise<void>((resolve) => this.#worker.once("exit", () => resolve()));
    this.#worker.ref();
    this.#worker.postMessage("close");
    await exited;
  }

  #replied(reply: WorkerReply): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if (reply.ok) return waiting?.resolve(unpackAnswers(reply.answers));
    const error = new CountersignError("store_failed", reply.message);
    if (reply.fatal) this.#onFatal(error);
    waiting?.reject(error);
  }

  #failed(error: Error): void {
    this.#exited = true;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }
}
