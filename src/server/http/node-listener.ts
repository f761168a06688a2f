import type { RequestListener, ServerResponse } from "node:http";
import type { Incoming } from "./incoming.js";
import { NodeIncoming } from "./node-incoming.js";
import { isResponse, type Sent } from "./respond.js";

/** Lets Node's server answer by ours. While it is `closing`, each answer is the last of its connection. */
export function nodeListener(
  answer: (incoming: Incoming) => Promise<Sent | Response>,
  closing?: AbortSignal,
): RequestListener {
  return (incoming, outgoing) => {
    const send = async () => {
      const sent = await answer(new NodeIncoming(incoming, outgoing));
      // A connection that stays open would bring its next request here, until the time for shutting down is over.
      if (closing?.aborted) outgoing.shouldKeepAlive = false;
      if (!isResponse(sent)) write(sent, outgoing);
      else await pour(sent, outgoing, incoming.method === "HEAD");
    };
    send().catch(() => {
      // Whoever reads half of an answer must not take it for a whole one.
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500).end();
    });
  };
}

function write({ status, headers, body }: Sent, outgoing: ServerResponse): void {
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] ?? "");
  if (body !== undefined) fields.push("content-length", String(Buffer.byteLength(body)));
  outgoing.writeHead(status, fields);
  outgoing.end(body);
}

/** Sends a web response as fast as it is read, and lets go of its source when the reader is gone. */
async function pour(response: Response, outgoing: ServerResponse, headersOnly: boolean): Promise<void> {
  outgoing.writeHead(response.status, [...response.headers].flat());
  const reader = response.body?.getReader();
  if (reader === undefined) return void outgoing.end();
  const stop = () => void reader.cancel().catch(() => undefined);
  if (outgoing.destroyed || headersOnly) {
    stop();
    return void outgoing.end();
  }
  outgoing.once("close", stop);
  // At once: a reader of events wants to know that they will come.
  outgoing.flushHeaders();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (!outgoing.write(next.value)) await drained(outgoing);
  }
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.once("drain", done).once("close", done);
    if (outgoing.destroyed) done();
  });
}
