import type { AssistantModelMessage, ModelMessage, ToolApprovalResponse, ToolModelMessage, ToolSet } from "ai";
import { type AttachedTool, isOpen, mayRun, type Request } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import {
  type AnyAiTool,
  attachTool,
  behindGate,
  type GatedTools,
  type Options,
  requestOf,
  type ToolExecutionOptions,
} from "./gated.js";

export interface Pausing<Tools extends ToolSet> {
  /** For `generateText`, `streamText` and agents: a call that needs a person ends the run with an approval request. */
  readonly tools: GatedTools<Tools>;
  /**
   * Answers to the approval requests that stand open in these messages, read from the gate; append them and run again. It
   * waits at most `deadline` milliseconds, and is undefined while a question is still open.
   */
  readonly answers: (
    messages: readonly ModelMessage[],
    options?: {
      readonly deadline?: number;
      readonly experimental_context?: unknown;
      readonly abortSignal?: AbortSignal;
    },
  ) => Promise<ToolModelMessage | undefined>;
}

/**
 * The AI SDK's own pause and resume (`needsApproval`), answered only by the gate. What messages say about approvals comes from
 * a client and decides nothing: a call that a history calls approved still has to be approved here.
 */
export function pausing<Tools extends ToolSet>(gate: GateLike, tools: Tools, options: Options = {}): Pausing<Tools> {
  const pausable = new Map<string, PausableTool>();
  const wrapped = Object.entries(tools).map(([name, tool]) => {
    const one = new PausableTool(attachTool(gate, name, tool, options, false), tool, options);
    pausable.set(name, one);
    return [name, one.wrapped()];
  });
  return {
    tools: Object.fromEntries(wrapped) as GatedTools<Tools>,
    answers: async (messages, given = {}) => {
      const context = { ...given, messages: [...messages] };
      // Requests for other tools are answered by whoever made those.
      const open = openRequests(messages).filter(({ toolName }) => pausable.has(toolName));
      const answered = await Promise.all(
        open.map(async ({ approvalId, toolName, input, toolCallId }) =>
          pausable.get(toolName)?.answer(approvalId, input, { ...context, toolCallId }, given.deadline ?? 0),
        ),
      );
      const content = answered.filter((answer) => answer !== undefined);
      return content.length === 0 || content.length < open.length ? undefined : { role: "tool", content };
    },
  };
}

class PausableTool {
  readonly #attached: AttachedTool;
  readonly #tool: AnyAiTool;
  readonly #options: Options;

  constructor(attached: AttachedTool, tool: AnyAiTool, options: Options) {
    this.#attached = attached;
    this.#tool = tool;
    this.#options = options;
  }

  wrapped(): AnyAiTool {
    const execute = (input: unknown, context: ToolExecutionOptions) =>
      this.#attached.tell(() => this.#request(input, context, 0));
    return {
      ...behindGate(this.#tool, execute),
      needsApproval: (input: unknown, context: ToolExecutionOptions) => this.#needsApproval(input, context),
    };
  }

  /** The SDK asks again when it resumes: a call that was put to people stays one that needs approval. */
  async #needsApproval(input: unknown, context: ToolExecutionOptions): Promise<boolean> {
    if (wasAsked(context.messages, context.toolCallId)) return true;
    // A gate that does not take the call says so again when the SDK executes it, as the call's result.
    return this.#attached.mustWait(() => this.#request(input, context, 0));
  }

  /** One open request's answer from the gate. Approved means that the call may go on to `execute`, which asks the gate again. */
  async answer(
    approvalId: string,
    input: unknown,
    context: ToolExecutionOptions,
    deadline: number,
  ): Promise<ToolApprovalResponse | undefined> {
    const response = { type: "tool-approval-response", approvalId } as const;
    const outcome = await this.#attached.look(this.#request(input, context, deadline));
    if (isOpen(outcome)) return undefined;
    if (mayRun(outcome)) return { ...response, approved: true };
    return { ...response, approved: false, reason: `${outcome.code}: ${outcome.message}` };
  }

  #request(input: unknown, context: ToolExecutionOptions, deadline: number): Request {
    return { ...requestOf(this.#tool, input, context, this.#options), deadline };
  }
}

function wasAsked(messages: readonly ModelMessage[], toolCallId: string): boolean {
  return partsOf(messages).some((part) => part.type === "tool-approval-request" && part.toolCallId === toolCallId);
}

interface OpenRequest {
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** Requests that nobody has answered yet, with the call each of them is about. */
function openRequests(messages: readonly ModelMessage[]): OpenRequest[] {
  const parts = partsOf(messages);
  const answered = new Set(parts.flatMap((part) => (part.type === "tool-approval-response" ? [part.approvalId] : [])));
  return parts.flatMap((part) => {
    if (part.type !== "tool-approval-request" || answered.has(part.approvalId)) return [];
    const { approvalId, toolCallId } = part;
    const call = parts.find((other) => other.type === "tool-call" && other.toolCallId === toolCallId);
    return call?.type === "tool-call" ? [{ approvalId, toolCallId, toolName: call.toolName, input: call.input }] : [];
  });
}

type Part = Exclude<(AssistantModelMessage | ToolModelMessage)["content"], string>[number];

function partsOf(messages: readonly ModelMessage[]): Part[] {
  return messages.flatMap(({ role, content }): readonly Part[] =>
    (role === "assistant" || role === "tool") && typeof content !== "string" ? (content as readonly Part[]) : [],
  );
}
