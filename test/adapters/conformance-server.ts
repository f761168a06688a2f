import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import * as types from "@modelcontextprotocol/sdk/types.js";
import type { TestServer } from "./mcp-world.js";

type Extra = RequestHandlerExtra<types.ServerRequest, types.ServerNotification>;
type Run = (args: Record<string, unknown>, extra: Extra) => Promise<types.CallToolResult>;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (said: string): types.CallToolResult => ({ content: [{ type: "text", text: said }] });
const resource = (uri: string, mimeType: string, said: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: said },
});

async function elicit(extra: Extra, message: string, properties: Record<string, unknown>, required: string[] = []) {
  const params = { message, requestedSchema: { type: "object", properties, required } };
  const request = { method: "elicitation/create", params } as unknown as types.ServerRequest;
  return extra.sendRequest(request, types.ElicitResultSchema);
}

const OPTIONS = ["option1", "option2", "option3"];
const titled = (title: string) =>
  ["value1", "value2", "value3"].map((value, n) => ({ const: value, title: `${title} ${n}` }));

/** The tools that the conformance suite expects of a server. */
const TOOLS: Readonly<Record<string, Run>> = {
  test_simple_text: async () => text("This is a simple text response for testing."),
  test_image_content: async () => ({ content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] }),
  test_audio_content: async () => ({ content: [{ type: "audio", data: SOUND, mimeType: "audio/wav" }] }),
  test_embedded_resource: async () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }),
  test_multiple_content_types: async () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      { type: "image", data: PIXEL, mimeType: "image/png" },
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }),
  test_tool_with_logging: async (_args, extra) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
      await delay(50);
    }
    return text("Logged.");
  },
  test_error_handling: async () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  test_tool_with_progress: async (_args, extra) => {
    const progressToken = extra["_meta"]?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken: progressToken ?? 0, progress, total: 100 };
      await extra.sendNotification({ method: "notifications/progress", params });
      await delay(50);
    }
    return text(String(progressToken));
  },
  test_sampling: async ({ prompt }, extra) => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: String(prompt) } }];
    const request = { method: "sampling/createMessage" as const, params: { messages, maxTokens: 100 } };
    const { content } = await extra.sendRequest(request, types.CreateMessageResultSchema);
    return text(`LLM response: ${content.type === "text" ? content.text : ""}`);
  },
  test_elicitation: async ({ message }, extra) => {
    const properties = {
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    };
    const { action, content } = await elicit(extra, String(message), properties, ["username", "email"]);
    return text(`User response: action: ${action}, content: ${JSON.stringify(content)}`);
  },
  test_elicitation_sep1034_defaults: async (_args, extra) => {
    const { action, content } = await elicit(extra, "Defaults", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    });
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  },
  test_elicitation_sep1330_enums: async (_args, extra) => {
    const { action, content } = await elicit(extra, "Enums", {
      untitledSingle: { type: "string", enum: OPTIONS },
      titledSingle: { type: "string", oneOf: titled("Option") },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
      titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
    });
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  },
};

export const CONFORMANCE_TOOLS: readonly string[] = Object.keys(TOOLS);

const PROMPTS: Readonly<Record<string, (args: Record<string, string>) => types.PromptMessage["content"][]>> = {
  test_simple_prompt: () => [{ type: "text", text: "This is a simple prompt for testing." }],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    { type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` },
  ],
  test_prompt_with_embedded_resource: ({ resourceUri = "" }) => [
    resource(resourceUri, "text/plain", "Embedded resource content for testing."),
    { type: "text", text: "Please process the embedded resource above." },
  ],
  test_prompt_with_image: () => [
    { type: "image", data: PIXEL, mimeType: "image/png" },
    { type: "text", text: "Please analyze the image above." },
  ],
};

function contentsOf(uri: string) {
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: PIXEL };
  const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
  if (id === undefined)
    return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
  return {
    uri,
    mimeType: "application/json",
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  };
}

function newServer(): Server {
  const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} };
  const server = new Server({ name: "conformance", version: "1.0.0" }, { capabilities });
  const ofPrompt = (name: string) =>
    name.endsWith("arguments") ? ["arg1", "arg2"] : name.endsWith("resource") ? ["resourceUri"] : [];
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: CONFORMANCE_TOOLS.map((name) => ({
      name,
      description: `Tests ${name}.`,
      inputSchema: { type: "object" as const },
    })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, ({ params }, extra) => {
    const run = TOOLS[params.name];
    if (run === undefined) throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return run(params.arguments ?? {}, extra);
  });
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
    prompts: Object.keys(PROMPTS).map((name) => ({
      name,
      description: name,
      arguments: ofPrompt(name).map((argument) => ({ name: argument, description: argument, required: true })),
    })),
  }));
  server.setRequestHandler(types.GetPromptRequestSchema, ({ params }) => ({
    messages: (PROMPTS[params.name]?.(params.arguments ?? {}) ?? []).map((content) => ({
      role: "user" as const,
      content,
    })),
  }));
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
    resources: ["test://static-text", "test://static-binary", "test://watched-resource"].map((uri) => ({
      uri,
      name: uri,
    })),
  }));
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
  }));
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params }) => ({ contents: [contentsOf(params.uri)] }));
  server.setRequestHandler(types.SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(types.UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(types.SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(types.CompleteRequestSchema, () => ({
    completion: { values: ["paris", "park"], total: 2 },
  }));
  return server;
}

/** A server of the previous SDK line with sessions over HTTP, as most servers are. */
export async function serveConformance(): Promise<TestServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await newServer().connect(transport as never);
    await transport.handleRequest(request, response);
  };
  const http = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async close() {
      for (const transport of sessions.values()) await transport.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
