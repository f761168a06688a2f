import { parentPort, workerData } from "node:worker_threads";
import { isFatal, SqliteFile } from "./sqlite/file.js";
import { packAnswers, type packGroup, unpackGroup } from "./sqlite/message.js";

/*
 * Writes groups on a thread of its own, so that waiting for the disk holds up nobody. Started by the SQLite store; it is a
 * separate entry of the package so that bundlers can carry it along.
 */

/** A group to write. `now` is sent only by stores with a clock of their own; else time is read here, under the lock. */
export interface WorkerRequest {
  readonly group: ReturnType<typeof packGroup>;
  readonly now?: number;
}

/** Sent back for each group, in order. Errors are flattened, because their codes do not survive the trip. */
export type WorkerReply =
  | { readonly ok: true; readonly answers: ReturnType<typeof packAnswers> }
  | { readonly ok: false; readonly message: string; readonly fatal: boolean };

const { path, busyTimeout } = workerData as { path: string; busyTimeout: number };
const file = new SqliteFile(path, busyTimeout);

parentPort?.on("message", (request: WorkerRequest | "emptyLog" | "close") => {
  if (request === "close") {
    file.close();
    parentPort?.close();
    return;
  }
  if (request === "emptyLog") return file.emptyLog();
  parentPort?.postMessage(write(request));
  // Those who waited for this group go on meanwhile.
  if (file.log.takeFull()) file.emptyLog();
});

function write({ group, now }: WorkerRequest): WorkerReply {
  try {
    return { ok: true, answers: packAnswers(file.commit(unpackGroup(group), () => now ?? Date.now())) };
  } catch (error) {
    return { ok: false, message: (error as Error).message, fatal: isFatal(error) };
  }
}
