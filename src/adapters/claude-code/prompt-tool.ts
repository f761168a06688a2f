import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { GateLike } from "../gate-like.js";
import { type ClaudeOptions, permissionFor, reasonOf } from "./permission.js";

/** The name for `--permission-prompt-tool`, where the server is registered as `countersign`. */
export const PERMISSION_PROMPT_TOOL = "mcp__countersign__approve";

const INPUT = z.object({
  tool_name: z.string(),
  input: z.record(z.string(), z.unknown()),
  tool_use_id: z.string().optional(),
});

/**
 * An MCP server with one tool that Claude Code asks for permission when nobody sits at its terminal
 * (`--permission-prompt-tool`). Connect it to a transport, for example stdio.
 */
export function permissionPromptServer(gate: GateLike, options: ClaudeOptions = {}): McpServer {
  const server = new McpServer({ name: "countersign", version: "1.0.0" });
  server.registerTool(
    "approve",
    { description: "Asks Countersign whether a tool call may run.", inputSchema: INPUT },
    async ({ tool_name: tool, input, tool_use_id: callId }, context) => {
      const asked = { tool, input, context: {}, callId, signal: context.mcpReq.signal };
      const permission = await permissionFor(gate, asked, options);
      const said = permission.allowed
        ? { behavior: "allow", updatedInput: permission.input }
        : { behavior: "deny", message: reasonOf(permission.told) };
      return { content: [{ type: "text", text: JSON.stringify(said) }] };
    },
  );
  return server;
}
