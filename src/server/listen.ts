import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { CountersignError } from "../core/errors.js";

/** How long a shutdown waits for requests under way. */
const DRAIN = 10_000;

/** Gives the address at which people meet it. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => reject(notListening(cause, host, port));
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve();
    });
  });
  // Browsers give passkeys to names, never to addresses.
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/** Why nobody can be served there, and what to set instead. */
function notListening(cause: NodeJS.ErrnoException, host: string, port: number): CountersignError {
  switch (cause.code) {
    case "EADDRINUSE":
      return new CountersignError(
        "already_exists",
        `Port ${port} of ${host} is in use, perhaps by a Countersign that runs already. Stop it, or take another port: COUNTERSIGN_PORT or --port.`,
        { cause },
      );
    case "EACCES":
      return new CountersignError(
        "invalid_request",
        `This account may not listen at port ${port} of ${host}. Take one above 1023: COUNTERSIGN_PORT or --port.`,
        { cause },
      );
    default:
      return new CountersignError(
        "invalid_request",
        `The server cannot listen at ${host}, which has to be an address of this machine (${cause.message}).`,
        { cause },
      );
  }
}

/** No new requests; those under way get their time, then their sockets are ended. */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN);
  await closed;
  clearTimeout(timer);
}
