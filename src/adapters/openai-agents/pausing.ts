import type { RunContext, RunState, RunToolApprovalItem } from "@openai/agents";
import { isOpen, mayRun } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import { type AnyFunctionTool, attachTool, behindGate, type Options, requestOf } from "./gated.js";

export interface Pausing<Tools> {
  /** A call that needs a person interrupts the run. */
  readonly tools: Tools;
  /**
   * Approves and rejects the interruptions of a run as the gate says, waiting at most `deadline` milliseconds; then
   * `run(agent, state)` goes on. Gives back those that are still open.
   */
  readonly answer: (
    // oxlint-disable-next-line typescript/no-explicit-any -- a run of any agent
    state: RunState<any, any>,
    options?: { readonly deadline?: number; readonly signal?: AbortSignal },
  ) => Promise<readonly RunToolApprovalItem[]>;
}

/**
 * The SDK's own interruptions (`needsApproval`), answered only by the gate. A state in which somebody has called `approve` still
 * asks the gate before it runs anything, so that it can be kept where clients reach it.
 */
export function pausing<Tools extends readonly AnyFunctionTool[]>(
  gate: GateLike,
  tools: Tools,
  options: Options = {},
): Pausing<Tools> {
  const looks = new Map<
    string,
    (runContext: RunContext<unknown>, item: Called, signal?: AbortSignal, deadline?: number) => Promise<Answer>
  >();
  const wrapped = tools.map((tool) => {
    const attached = attachTool(gate, tool, options, false);
    const request = (runContext: RunContext<unknown>, { callId, input }: Called, signal?: AbortSignal) =>
      requestOf(
        tool,
        runContext,
        input,
        { toolCall: { callId } as never, ...(signal === undefined ? {} : { signal }) },
        options,
      );
    looks.set(tool.name, async (runContext, called, signal, deadline = 0) => {
      const outcome = await attached.look({ ...request(runContext, called, signal), deadline });
      return { open: isOpen(outcome), runs: mayRun(outcome), message: `${outcome.code}: ${outcome.message}` };
    });
    return {
      ...behindGate(tool, (runContext, input, details) =>
        attached.tell(() => ({ ...requestOf(tool, runContext, input, details, options), deadline: 0 })),
      ),
      needsApproval: (runContext: RunContext<unknown>, args: unknown, callId?: string) =>
        attached.mustWait(() => request(runContext, { callId, input: JSON.stringify(args) })),
    };
  });
  return {
    tools: wrapped as unknown as Tools,
    answer: async (state, { deadline = 0, signal } = {}) => {
      const interruptions = state.getInterruptions();
      const open = await Promise.all(
        interruptions.map(async (item) => {
          const called = calledBy(item);
          const look = looks.get(called.name);
          // Another tool's interruption is for whoever gates that tool.
          if (look === undefined) return item;
          const answer = await look(state["_context"], called, signal, deadline);
          if (answer.open) return item;
          if (answer.runs) state.approve(item);
          else state.reject(item, { message: answer.message });
          return undefined;
        }),
      );
      return open.filter((item) => item !== undefined);
    },
  };
}

interface Called {
  readonly callId: string | undefined;
  readonly input: string;
}

interface Answer {
  readonly open: boolean;
  readonly runs: boolean;
  readonly message: string;
}

function calledBy(item: RunToolApprovalItem): Called & { readonly name: string } {
  const raw = item.rawItem as { readonly callId?: string; readonly arguments?: string };
  return { name: item.name ?? "", callId: raw.callId, input: raw.arguments ?? "" };
}
