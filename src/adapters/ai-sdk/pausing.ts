import type {
  AssistantModelMessage,
  ModelMessage,
  ToolApprovalResponse,
  ToolExecutionOptions,
  ToolModelMessage,
  ToolSet,
} from "ai";
import type { AttachedTool, Ran } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import { tell, tellError } from "../told.js";
import { type AnyAiTool, attachTool, behindGate, type GatedTools, type Options, requestOf } from "./gated.js";

export interface Pausing<Tools extends ToolSet> {
  /** For `generateText`, `streamText` and agents: a call that needs a person ends the run with an approval request. */
  readonly tools: GatedTools<Tools>;
  /**
   * Answers to the approval requests that stand open in these messages, read from the gate; append them and run again. It
   * waits at most `deadline` milliseconds, and is undefined while a question is still open.
   */
  answers(
    messages: readonly ModelMessage[],
    options?: {
      readonly deadline?: number;
      readonly experimental_context?: unknown;
      readonly abortSignal?: AbortSignal;
    },
  ): Promise<ToolModelMessage | undefined>;
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
      const open = openRequests(messages);
      const answered = await Promise.all(
        open.map(({ approvalId, toolName, input, toolCallId }) =>
          pausable
            .get(toolName)
            ?.answer(approvalId, input, { ...given, toolCallId, messages: [...messages] }, given.deadline ?? 0),
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
  /** Calls that were let through while the SDK asked whether they need approval; it picks them up right after. */
  readonly #begun = new Map<string, Promise<Ran>>();

  constructor(attached: AttachedTool, tool: AnyAiTool, options: Options) {
    this.#attached = attached;
    this.#tool = tool;
    this.#options = options;
  }

  wrapped(): AnyAiTool {
    const execute = (input: unknown, context: ToolExecutionOptions) => this.#execute(input, context);
    return {
      ...behindGate(this.#tool, execute),
      needsApproval: (input: unknown, context: ToolExecutionOptions) => this.#needsApproval(input, context),
    };
  }

  /** The SDK asks again when it resumes: a call that was put to people stays one that needs approval. */
  async #needsApproval(input: unknown, context: ToolExecutionOptions): Promise<boolean> {
    if (wasAsked(context.messages, context.toolCallId)) return true;
    let begin = () => {};
    const begins = new Promise<"begins">((resolve) => {
      begin = () => resolve("begins");
    });
    const running = this.#look(input, context, begin);
    const first = await Promise.race([begins, running.catch(() => undefined)]);
    if (first !== "begins" && first?.outcome.type === "pending") return true;
    // Let through, refused or failed: the SDK calls execute next, which tells it.
    this.#begun.set(context.toolCallId, running);
    return false;
  }

  async #execute(input: unknown, context: ToolExecutionOptions): Promise<unknown> {
    try {
      const begun = this.#begun.get(context.toolCallId);
      this.#begun.delete(context.toolCallId);
      const { outcome, value } = await (begun ?? this.#look(input, context));
      return tell(outcome, value);
    } catch (error) {
      return tellError(error);
    }
  }

  /** One open request's answer from the gate. Approved means that the call may go on to `execute`, which asks the gate again. */
  async answer(
    approvalId: string,
    input: unknown,
    context: ToolExecutionOptions,
    deadline: number,
  ): Promise<ToolApprovalResponse | undefined> {
    const response = { type: "tool-approval-response", approvalId } as const;
    const outcome = await this.#attached.look({ ...requestOf(this.#tool, input, context, this.#options), deadline });
    if (outcome.type === "pending" && outcome.token === undefined) return undefined;
    const runs = outcome.type === "pending" || outcome.type === "succeeded";
    if (runs) return { ...response, approved: true };
    return { ...response, approved: false, reason: `${outcome.code}: ${outcome.message}` };
  }

  /** Asks the gate without waiting for people; runs what may run. */
  #look(input: unknown, context: ToolExecutionOptions, begin: () => void = () => {}): Promise<Ran> {
    const request = requestOf(this.#tool, input, context, this.#options);
    const run = (args: unknown, signal: AbortSignal | undefined) => {
      begin();
      return request.run(args, signal);
    };
    return this.#attached.run({ ...request, run, deadline: 0 });
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
