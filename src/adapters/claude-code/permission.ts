import { CountersignError } from "../../core/errors.js";
import type { Outcome } from "../../core/outcome.js";
import { type AttachedTool, attach, type Request } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import { type AdapterOptions, callerOf, declarationOf } from "../options.js";
import { isTold, type Told, tell, tellError } from "../told.js";
import { BUILTIN_TOOLS } from "./builtin-tools.js";

/** What Claude Code says of a call besides its arguments. */
export interface CallContext {
  readonly sessionId?: string;
  /** A subagent's id; absent for the main agent. */
  readonly agentId?: string;
  readonly cwd?: string;
}

export type ClaudeOptions = AdapterOptions<CallContext>;

export interface Asked {
  readonly tool: string;
  readonly input: unknown;
  readonly context: CallContext;
  /** Claude Code's id of this call (`tool_use_id`). Events that lack it cannot be told from a repetition. */
  readonly callId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** May it run, and with what: the tool itself runs in Claude Code. */
export type Permission =
  | { readonly allowed: true; readonly input: Record<string, unknown>; readonly message?: string }
  | { readonly allowed: false; readonly told: Told };

/** Of as many identical calls at once each has its turn. */
const MAX_TURNS = 20;

/**
 * Passes a call of Claude Code through the gate. What the gate runs is handing the permission over, once, to the process that
 * asked. A call that has to be made again joins its open question, so identical calls at once share one, too: the permission
 * goes to one of them, and the others are asked about anew.
 */
export async function permissionFor(gate: GateLike, asked: Asked, options: ClaudeOptions): Promise<Permission> {
  try {
    const { tool, context, callId } = asked;
    const attached = attach(gate, { ...UNDECLARED, ...builtIn(tool), ...declarationOf(options, tool), name: tool });
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const { outcome, input } = await ask(attached, asked, callerOf(options, context), options.deadline);
      if (outcome.type !== "succeeded" || outcome.withheld) return { allowed: false, told: asTold(tell(outcome)) };
      const { changes, message, result } = outcome;
      if (input !== undefined) return { allowed: true, input, ...(changes === undefined ? {} : { message }) };
      // Claude Code runs what it is allowed, so what was handed over once, to whomever, allows nothing more.
      const holder = (result as { readonly callId?: string } | undefined)?.callId;
      if (callId === undefined || holder === undefined || holder === callId) break;
    }
    throw new CountersignError("already_claimed", SPENT);
  } catch (error) {
    return { allowed: false, told: tellError(error) };
  }
}

const SPENT = "an identical call was let through with this approval a moment ago, and it runs once.";
const UNDECLARED = { riskTier: "R3" } as const;

/** The input comes back where the permission was handed to this very asking. */
async function ask(
  attached: AttachedTool,
  { input, context, callId, signal }: Asked,
  caller: Request["caller"],
  deadline: number | undefined,
): Promise<{ readonly outcome: Outcome; readonly input: Record<string, unknown> | undefined }> {
  let handed: Record<string, unknown> | undefined;
  const { outcome } = await attached.run({
    args: input ?? {},
    callId: undefined,
    caller,
    context: context.cwd === undefined ? undefined : { cwd: context.cwd },
    signal,
    deadline,
    run: (args) => {
      handed = args as Record<string, unknown>;
      return { input: args, ...(callId === undefined ? {} : { callId }) };
    },
  });
  return { outcome, input: handed };
}

function builtIn(tool: string): ClaudeDeclaration {
  return Object.hasOwn(BUILTIN_TOOLS, tool) ? (BUILTIN_TOOLS[tool] as ClaudeDeclaration) : {};
}

type ClaudeDeclaration = (typeof BUILTIN_TOOLS)[string];

function asTold(value: unknown): Told {
  if (isTold(value)) return value;
  throw new TypeError("an outcome that is not a success was told as one");
}

/** Said to the model. A question that is still open is joined by making the same call again. */
export function reasonOf({ countersign }: Told): string {
  const { code, message, outcome, approvalId } = countersign;
  if (outcome !== "pending") return `${code}: ${message}`;
  return `${code}: Not run yet: a person has to approve it (${approvalId ?? ""}). Do other work or stop; once it is approved, make exactly the same call again, and it runs without a second question.`;
}
