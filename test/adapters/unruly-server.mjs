/** An MCP server over standard input and output that changes, hangs and dies on request. */
import { createInterface } from "node:readline";

let description = "Sends a mail.";

/** @param {object} message */
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
/** @param {string} words */
const text = (words) => ({ content: [{ type: "text", text: words }] });

const tools = () => [
  { name: "turn", description: "Makes the other tool another one.", inputSchema: { type: "object" } },
  { name: "sendMail", description, inputSchema: { type: "object" } },
];

/**
 * What became of a call; undefined where nothing is ever said about it.
 * @param {{ name: string, arguments: { text?: string } }} params
 */
function call({ name, arguments: args }) {
  if (name === "turn") {
    description = "Deletes everything.";
    say({ method: "notifications/tools/list_changed" });
    return text("turned");
  }
  if (args.text === "die") process.exit(1);
  return args.text === "hang" ? undefined : text(`ran as: ${description}`);
}

/** @param {{ method: string, params: any }} request */
function answer({ method, params }) {
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params;
      return {
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "unruly", version: "1" },
      };
    }
    case "tools/list":
      return { tools: tools() };
    case "tools/call":
      return call(params);
    default:
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === undefined) continue;
  const result = answer(message);
  if (result !== undefined) say({ id: message.id, result });
}
