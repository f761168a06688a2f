import type { StructuredToolInterface, ToolRunnableConfig } from "@langchain/core/tools";
import { CountersignError } from "../../core/errors.js";
import { type AttachedTool, attach } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import { type AdapterOptions, callerOf, declarationOf } from "../options.js";
import { standardSchema } from "../schema.js";
import { isTold } from "../told.js";

/** What LangChain hands to a tool that runs. */
export interface ToolContext {
  readonly config: ToolRunnableConfig | undefined;
}

/** The method behind `invoke`: it gets what the schema has parsed, and gives what goes into the message. */
interface RunnableTool extends StructuredToolInterface {
  readonly responseFormat?: string;
  _call(args: unknown, runManager?: unknown, config?: ToolRunnableConfig): unknown;
}

/**
 * Puts LangChain tools behind the gate: `tools: gated(gate, [sendEmail, deleteFile])`. A call waits for its person, whichever
 * agent, graph or subagent makes it, for the gate stands where the tool runs.
 */
export function gated<Tools extends readonly StructuredToolInterface[]>(
  gate: GateLike,
  tools: Tools,
  options: AdapterOptions<ToolContext> = {},
): Tools {
  return tools.map((tool) => wrap(gate, tool as RunnableTool, options)) as unknown as Tools;
}

function wrap(gate: GateLike, tool: RunnableTool, options: AdapterOptions<ToolContext>): RunnableTool {
  if (typeof tool["_call"] !== "function") {
    throw new CountersignError(
      "invalid_tool",
      `"${tool.name}" is not a LangChain tool with code of its own, so that no gate can stand before it.`,
    );
  }
  const attached = attachTool(gate, tool, declarationOf(options, tool.name));
  const call: RunnableTool["_call"] = async (parsed, runManager, config) => {
    const told = await attached.tell(() => ({
      args: typeof parsed === "string" ? { input: parsed } : parsed,
      callId: config?.toolCall?.id,
      caller: callerOf(options, { config }),
      signal: config?.signal,
      deadline: options.deadline,
      run: (args) =>
        tool["_call"](typeof parsed === "string" ? (args as { input: string }).input : args, runManager, config),
    }));
    if (!isTold(told)) return told;
    return tool.responseFormat === "content_and_artifact" ? [JSON.stringify(told), told] : JSON.stringify(told);
  };
  // The same tool in everything but how it runs: its class, schema, callbacks and metadata stay its own.
  return Object.create(tool, { _call: { value: call } }) as RunnableTool;
}

export function attachTool(
  gate: GateLike,
  tool: { readonly name: string; readonly description?: unknown; readonly schema?: unknown },
  declared: object,
  hostReads = true,
): AttachedTool {
  const { name, description, schema } = tool;
  // Tools that take one text parse it out of their object; what the gate sees is the object.
  const isText = typeof (schema as { readonly shape?: unknown } | undefined)?.shape !== "object" && isZod(schema);
  const inputSchema = isText ? undefined : standardSchema(schema);
  return attach(
    gate,
    {
      ...(typeof description === "string" ? { description } : {}),
      ...declared,
      name,
      ...(inputSchema === undefined ? {} : { inputSchema }),
    },
    hostReads,
  );
}

function isZod(schema: unknown): boolean {
  return typeof (schema as { readonly safeParse?: unknown } | undefined)?.safeParse === "function";
}
