import type { FunctionTool, RunContext } from "@openai/agents";
import { CountersignError } from "../../core/errors.js";
import { parseStrictJson } from "../../core/strict-json.js";
import { type AttachedTool, attach, type Request } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import { type AdapterOptions, callerOf, declarationOf } from "../options.js";
import { fromJsonSchema } from "../schema.js";
import { isTold } from "../told.js";

// oxlint-disable-next-line typescript/no-explicit-any -- an agent's tools differ in context, parameters and result
export type AnyFunctionTool = FunctionTool<any, any, any>;
type Invoke = AnyFunctionTool["invoke"];
type Details = Parameters<Invoke>[2];

/** What the SDK hands to a tool that runs. */
export interface CallContext {
  readonly runContext: RunContext<unknown>;
  readonly callId: string | undefined;
}

export type Options = AdapterOptions<CallContext>;

/**
 * Puts an agent's function tools behind the gate: `tools: gated(gate, [sendEmail, deleteFile])`. A call waits for its person,
 * also one that an agent used as a tool makes.
 */
export function gated<Tools extends readonly AnyFunctionTool[]>(
  gate: GateLike,
  tools: Tools,
  options: Options = {},
): Tools {
  return tools.map((tool) => {
    const attached = attachTool(gate, tool, options, true);
    return behindGate(tool, (runContext, input, details) =>
      attached.tell(() => requestOf(tool, runContext, input, details, options)),
    );
  }) as unknown as Tools;
}

export function attachTool(gate: GateLike, tool: AnyFunctionTool, options: Options, hostReads: boolean): AttachedTool {
  const { name, description, parameters } = tool;
  if (tool.type !== "function") {
    const what = String((tool as { readonly name?: unknown }).name);
    throw new CountersignError(
      "invalid_tool",
      `"${what}" is not a function tool: it runs at the provider, where no gate stands. Leave it out, or give it onApproval.`,
    );
  }
  return attach(
    gate,
    {
      description,
      ...declarationOf(options, name),
      name,
      inputSchema: fromJsonSchema(parameters as unknown as Record<string, unknown>),
    },
    hostReads,
  );
}

/** The tool with another way to run. Its time limit counts from when it runs, not while people think. */
export function behindGate(
  tool: AnyFunctionTool,
  invoke: (...given: Parameters<Invoke>) => Promise<unknown>,
): AnyFunctionTool {
  const { timeoutMs: _whileRunning, ...rest } = tool;
  return {
    ...rest,
    invoke: async (...given) => {
      const told = await invoke(...given);
      return isTold(told) ? JSON.stringify(told) : told;
    },
  };
}

export function requestOf(
  tool: AnyFunctionTool,
  runContext: RunContext<unknown>,
  input: string,
  details: Details,
  options: Options,
): Request {
  const callId = details?.toolCall?.callId;
  return {
    args: parseStrictJson(input === "" ? "{}" : input),
    callId,
    caller: callerOf(options, { runContext, callId }),
    signal: details?.signal,
    deadline: options.deadline,
    run: (args, signal) =>
      unlessFailed(() => tool.invoke(runContext, JSON.stringify(args), ownDetails(details, signal))),
  };
}

/** The SDK turns a tool's failure into text for the model and tells nobody but the span of the call: so the span is listened to. */
async function unlessFailed(invoke: () => Promise<unknown>): Promise<unknown> {
  const { getCurrentSpan } = await import("@openai/agents");
  const span = getCurrentSpan();
  // A tool that is called outside of a run has none.
  if (span === null) return invoke();
  const setError = span.setError.bind(span);
  let failed = false;
  span.setError = (error) => {
    failed = true;
    setError(error);
  };
  try {
    const told = await invoke();
    if (failed) throw new Error(typeof told === "string" ? told : JSON.stringify(told));
    return told;
  } finally {
    span.setError = setError;
  }
}

/** Without the runner's private marks, among them the input as it was before a person changed it. */
function ownDetails(details: Details, signal: AbortSignal | undefined): Details {
  const { toolCall, resumeState } = details ?? {};
  return {
    ...(toolCall === undefined ? {} : { toolCall }),
    ...(resumeState === undefined ? {} : { resumeState }),
    ...(signal === undefined ? {} : { signal }),
  };
}
