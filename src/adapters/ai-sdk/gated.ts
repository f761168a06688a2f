import type { Tool, ToolSet } from "ai";
import { CountersignError } from "../../core/errors.js";
import { toPlainJson } from "../../core/json.js";
import { type AttachedTool, attach, type Request } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import { type AdapterOptions, callerOf, declarationOf } from "../options.js";
import { standardSchema } from "../schema.js";
import { isTold, type Told } from "../told.js";

/** The same tools; what they give may also be word of what the gate made of the call. */
export type GatedTools<Tools extends ToolSet> = {
  [Name in keyof Tools]: Tools[Name] extends Tool<infer Input, infer Output> ? Tool<Input, Output | Told> : Tools[Name];
};

/** What the SDK hands to a tool that runs; spelt by its use, for its own name differs between versions. */
export type ToolExecutionOptions = Parameters<NonNullable<Tool["execute"]>>[1];

export type Options = AdapterOptions<ToolExecutionOptions>;

/**
 * Puts the tools of an AI SDK app behind the gate: `tools: gated(gate, { sendEmail, deleteFile })`. A call waits for its person;
 * tools of subagents are covered by being wrapped as well.
 */
export function gated<Tools extends ToolSet>(gate: GateLike, tools: Tools, options: Options = {}): GatedTools<Tools> {
  const wrapped = Object.entries(tools).map(([name, tool]) => {
    const attached = attachTool(gate, name, tool, options, true);
    const execute = (input: unknown, context: ToolExecutionOptions) =>
      attached.tell(() => requestOf(tool, input, context, options));
    return [name, behindGate(tool, execute)];
  });
  return Object.fromEntries(wrapped) as GatedTools<Tools>;
}

export type AnyAiTool = ToolSet[string];

export function attachTool(
  gate: GateLike,
  name: string,
  { description, title, inputSchema, execute }: AnyAiTool,
  options: Options,
  hostReads: boolean,
): AttachedTool {
  if (execute === undefined) {
    throw new CountersignError(
      "invalid_tool",
      `The tool "${name}" has no execute: it runs at a provider or in a browser, where no gate stands. Give it an execute, or leave it out.`,
    );
  }
  const schema = standardSchema(inputSchema);
  return attach(
    gate,
    {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...declarationOf(options, name),
      name,
      ...(schema === undefined ? {} : { inputSchema: schema }),
    },
    hostReads,
  );
}

export function requestOf(tool: AnyAiTool, input: unknown, context: ToolExecutionOptions, options: Options): Request {
  const { abortSignal, toolCallId } = context;
  return {
    args: input,
    callId: toolCallId,
    caller: callerOf(options, context),
    signal: abortSignal,
    deadline: options.deadline,
    run: async (args, signal) =>
      last(await tool.execute?.(args, { ...context, ...(signal === undefined ? {} : { abortSignal: signal }) })),
  };
}

/** A tool may stream what it has so far; its last word is its result. */
async function last(given: unknown): Promise<unknown> {
  if (typeof (given as AsyncIterable<unknown> | undefined)?.[Symbol.asyncIterator] !== "function") return given;
  let value: unknown;
  for await (value of given as AsyncIterable<unknown>);
  return value;
}

/** The tool with another way to run, and with model output that it can make of what the gate tells. */
export function behindGate(tool: AnyAiTool, execute: AnyAiTool["execute"]): AnyAiTool {
  const { toModelOutput } = tool;
  if (toModelOutput === undefined) return { ...tool, execute } as AnyAiTool;
  const own = toModelOutput as (given: { readonly output: unknown }) => unknown;
  const told = (given: { readonly output: unknown }) =>
    isTold(given.output) ? { type: "json", value: toPlainJson(given.output) } : own(given);
  return { ...tool, execute, toModelOutput: told } as AnyAiTool;
}
