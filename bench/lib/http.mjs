// A server of its own process and what talks to it: agents with their keys, people with their cookies.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";

/** @typedef {{ port: number, origin: string, people: { cookie: string, apiKey: string }[] }} Ready */

const agent = new Agent({ keepAlive: true, maxSockets: Number(process.env.BENCH_CLIENTS ?? 64) });

/** @returns {Promise<any>} */
export function send(
  /** @type {Ready} */ server,
  /** @type {Record<string, string>} */ headers,
  /** @type {string} */ method,
  /** @type {string} */ path,
  /** @type {object[]} */ ...[body]
) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: "127.0.0.1",
        port: server.port,
        method,
        path,
        headers: {
          ...headers,
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        let read = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk) => (read += chunk));
        answer.on("end", () => {
          const told = JSON.parse(read === "" ? "{}" : read);
          if (answer.statusCode !== undefined && answer.statusCode < 400) resolve(told);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${read.slice(0, 300)}`));
        });
      },
    );
    sent.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      // A line that was kept open and that the server has closed meanwhile: taken anew.
      if (error.code === "ECONNRESET" && sent.reusedSocket) {
        resolve(send(server, headers, method, path, ...(body === undefined ? [] : [body])));
      } else reject(error);
    });
    sent.end(text);
  });
}

export const asAgent = (/** @type {string} */ key) => ({ authorization: `Bearer ${key}` });
export const asPerson = (/** @type {Ready} */ { origin }, /** @type {string} */ cookie) => ({ cookie, origin });

/** Submit, decide, claim, finish. */
export async function cycle(/** @type {Ready} */ server, /** @type {number} */ n) {
  const { cookie, apiKey } = server.people[n % server.people.length] ?? { cookie: "", apiKey: "" };
  const call = { tool: "notes.share", args: { n } };
  const { approvalId, card } = await send(server, asAgent(apiKey), "POST", "/v1/calls", call);
  const decision = { decision: "approve", toolCallHash: card.toolCallHash };
  await send(server, asPerson(server, cookie), "POST", `/v1/approvals/${approvalId}/decision`, decision);
  const { token } = await send(server, asAgent(apiKey), "GET", `/v1/calls/${approvalId}`);
  const { claimId } = await send(server, asAgent(apiKey), "POST", "/v1/tokens/claim", {
    approvalId,
    tokenId: token.tokenId,
  });
  await send(server, asAgent(apiKey), "POST", "/v1/tokens/finish", {
    approvalId,
    claimId,
    type: "succeeded",
    result: 1,
  });
}

/**
 * Starts the server with so many people.
 * @param {string} folder
 * @param {number} people
 * @returns {Promise<{ server: Ready, child: import("node:child_process").ChildProcess }>}
 */
export async function startServer(folder, people) {
  const script = fileURLToPath(new URL("./server.mjs", import.meta.url));
  const args = ["--expose-gc", script, folder, String(people)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const [line] = await once(
    createInterface({ input: /** @type {import("node:stream").Readable} */ (child.stdout) }),
    "line",
  );
  return { server: JSON.parse(String(line)), child };
}

/** Opens a person's device as a page does: a ticket first, then the socket. */
export async function openSocket(/** @type {Ready} */ server, /** @type {string} */ cookie) {
  const headers = asPerson(server, cookie);
  const { ticket } = await send(server, headers, "POST", "/v1/socket/ticket", {});
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/socket`, { headers });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "authenticate", payload: { ticket } }));
  return socket;
}
