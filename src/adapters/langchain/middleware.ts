import type { ToolCallHandler, ToolCallRequest, ToolMessage } from "langchain";
import { CountersignError } from "../../core/errors.js";
import type { Json } from "../../core/json.js";
import { isOpen, type Request } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import { type AdapterOptions, callerOf, declarationOf } from "../options.js";
import { isTold } from "../told.js";
import { attachTool } from "./gated.js";

type Answer = Awaited<ReturnType<ToolCallHandler>>;

export interface GatedCallsOptions extends AdapterOptions<ToolCallRequest> {
  /**
   * `interrupt` of `@langchain/langgraph`, to pause the graph instead of waiting in it. What it is resumed with decides nothing:
   * it makes the graph ask the gate again.
   */
  readonly interrupt?: (value: Json) => unknown;
}

/** For `createMiddleware`. */
export interface GatedCalls {
  readonly name: string;
  readonly wrapToolCall: (request: ToolCallRequest, handler: ToolCallHandler) => Promise<Answer>;
}

/**
 * Every tool call of an agent behind the gate, also of tools that come and go:
 * `middleware: [createMiddleware(gatedCalls(gate))]`. Do not wrap the same tools with `gated` as well.
 */
export function gatedCalls(gate: GateLike, options: GatedCallsOptions = {}): GatedCalls {
  const { interrupt } = options;
  return {
    name: "Countersign",
    async wrapToolCall(request, handler) {
      const { name } = request.toolCall;
      const described = { name, ...schemaOf(request.tool) };
      const attached = attachTool(gate, described, declarationOf(options, name), interrupt === undefined);
      let live: Answer | undefined;
      const make = (): Request => ({
        args: request.toolCall.args,
        callId: request.toolCall.id,
        caller: callerOf(options, request),
        signal: request.runtime.signal,
        deadline: interrupt === undefined ? options.deadline : 0,
        run: async (args) => {
          live = await handler({
            ...request,
            toolCall: { ...request.toolCall, args: args as Record<string, unknown> },
          });
          return contentOf(live);
        },
      });
      if (interrupt !== undefined) await paused(attached, make, interrupt);
      const told = await attached.tell(make);
      return live !== undefined && !isTold(told) ? live : messageOf(request, told);
    },
  };
}

/** Pauses the graph until the gate has an answer. A graph that is resumed runs this again from the start. */
async function paused(
  attached: ReturnType<typeof attachTool>,
  make: () => Request,
  interrupt: (value: Json) => unknown,
): Promise<void> {
  for (;;) {
    let outcome: Awaited<ReturnType<typeof attached.look>>;
    try {
      outcome = await attached.look(make());
    } catch {
      // A gate that does not take the call says so when it is to run.
      return;
    }
    if (outcome.type !== "pending" || !isOpen(outcome)) return;
    const { approvalId, code, message, expiresAt, card } = outcome;
    interrupt({ code, approvalId, message, expiresAt, summary: card.humanSummary });
  }
}

/** What is kept of a message: a failure as one, and of the rest what the model read. A command has no text to keep. */
function contentOf(answer: Answer): unknown {
  if (!("content" in answer)) return null;
  if (answer.status === "error")
    throw new Error(typeof answer.content === "string" ? answer.content : JSON.stringify(answer.content));
  return answer.content;
}

async function messageOf({ toolCall }: ToolCallRequest, told: unknown): Promise<ToolMessage> {
  const messages = await import("@langchain/core/messages").catch((cause: unknown) => {
    throw new CountersignError(
      "missing_dependency",
      'The LangChain adapter needs the "@langchain/core" package. Install it: npm i langchain @langchain/core',
      { cause },
    );
  });
  const refused = isTold(told) && told.countersign.outcome !== "succeeded";
  return new messages.ToolMessage({
    content: typeof told === "string" ? told : JSON.stringify(told),
    tool_call_id: toolCall.id ?? "",
    name: toolCall.name,
    ...(refused ? { status: "error" } : {}),
  });
}

/** What a tool says of itself; tools that were made on the way may say nothing. */
function schemaOf(tool: ToolCallRequest["tool"]): { readonly schema?: unknown; readonly description?: unknown } {
  const { schema, description } = (tool ?? {}) as { readonly schema?: unknown; readonly description?: unknown };
  return { ...(schema === undefined ? {} : { schema }), ...(description === undefined ? {} : { description }) };
}
