// A server of its own process and what talks to it: agents with their keys, people with their cookies.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";

/** @typedef {{ port: number, origin: string, people: { cookie: string, apiKey: string }[] }} Ready */

/**
 * One connection that stays open, one request at a time. What asks shares the machine's two cores with what is measured, and
 * Node's own client takes a third as much of them as the server does.
 */
class Line {
  /** @type {((told: { status: number, body: string }) => void) | undefined} */
  #answered;
  /** @type {((error: Error) => void) | undefined} */
  #failed;
  #read = "";
  #socket;

  constructor(/** @type {number} */ port) {
    this.#socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
    this.#socket.on("data", (/** @type {string} */ chunk) => this.#take(chunk));
    this.#socket.on("error", (error) => this.#failed?.(error));
    this.#socket.on("close", () => this.#failed?.(new Error("the server closed the connection")));
  }

  /** False once the server has closed it, as it does with one that was idle for a while. */
  get open() {
    return !this.#socket.destroyed && !this.#socket.readableEnded;
  }

  /** @returns {Promise<{ status: number, body: string }>} */
  ask(/** @type {string} */ request) {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  #take(/** @type {string} */ chunk) {
    this.#read += chunk;
    const head = this.#read.indexOf("\r\n\r\n");
    if (head === -1) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#read.slice(0, head))?.[1] ?? 0);
    const end = head + 4 + length;
    if (this.#read.length < end) return;
    // A byte a character so far, so that lengths are those of the wire.
    const body = Buffer.from(this.#read.slice(head + 4, end), "latin1").toString();
    const status = Number(this.#read.slice(9, 12));
    this.#read = this.#read.slice(end);
    this.#answered?.({ status, body });
  }
}

/** @type {Map<number, Line[]>} lines that wait for their next request, by port */
const free = new Map();

/** @returns {Promise<any>} */
export async function send(
  /** @type {Ready} */ { port },
  /** @type {Record<string, string>} */ headers,
  /** @type {string} */ method,
  /** @type {string} */ path,
  /** @type {object[]} */ ...[body]
) {
  const text = body === undefined ? "" : JSON.stringify(body);
  let request = `${method} ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n`;
  for (const [name, value] of Object.entries(headers)) request += `${name}: ${value}\r\n`;
  if (text !== "") request += `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  const lines = free.get(port) ?? [];
  free.set(port, lines);
  let line = lines.pop();
  while (line !== undefined && !line.open) line = lines.pop();
  line ??= new Line(port);
  const told = await line.ask(`${request}\r\n${text}`);
  lines.push(line);
  if (told.status >= 400) throw new Error(`${method} ${path}: ${told.status} ${told.body.slice(0, 300)}`);
  return JSON.parse(told.body === "" ? "{}" : told.body);
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
  const { claimId } = await send(server, asAgent(apiKey), "POST", `/v1/calls/${approvalId}/claim`, {});
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
