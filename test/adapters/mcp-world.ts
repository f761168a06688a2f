import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { World } from "./contract.js";

/** A real MCP server in this process, over Streamable HTTP, for clients of both protocols. */
export interface TestServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveMcp(make: () => McpServer): Promise<TestServer> {
  const handler = toNodeHandler(createMcpHandler(make));
  const server = createServer((request, response) => void handler(request as Parameters<typeof handler>[0], response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The tools of the contract, as an MCP server has them. */
export function notesServer({ ran }: World, mail = "Sends a mail.", note = "Reads a note."): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool(
    "readNote",
    { description: note, inputSchema: z.object({ id: z.string() }), annotations: { readOnlyHint: true } },
    ({ id }) => {
      ran.push({ tool: "readNote", args: { id } });
      return { content: [{ type: "text", text: `note ${id}` }] };
    },
  );
  server.registerTool(
    "sendMail",
    { description: mail, inputSchema: z.object({ to: z.string(), text: z.string() }) },
    (args) => {
      ran.push({ tool: "sendMail", args });
      return { content: [{ type: "text", text: `sent to ${args.to}` }] };
    },
  );
  return server;
}

export const DECLARED = { notes: { tools: { readNote: { effect: "read" } } } } as const;
