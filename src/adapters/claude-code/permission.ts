import { CountersignError } from "../../core/errors.js";
import { attach } from "../attach.js";
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
  readonly signal?: AbortSignal | undefined;
}

/** May it run, and with what: the tool itself runs in Claude Code. */
export type Permission =
  | { readonly allowed: true; readonly input: Record<string, unknown>; readonly message?: string }
  | { readonly allowed: false; readonly told: Told };

/**
 * Passes a call of Claude Code through the gate. What the gate runs is handing the permission over, once, to the process that
 * asked; a call that has to be made again joins its open question.
 */
export async function permissionFor(gate: GateLike, asked: Asked, options: ClaudeOptions): Promise<Permission> {
  try {
    const { tool, input, context, signal } = asked;
    const attached = attach(gate, { ...UNDECLARED, ...builtIn(tool), ...declarationOf(options, tool), name: tool });
    let mine = false;
    const { outcome } = await attached.run({
      args: input ?? {},
      callId: undefined,
      caller: callerOf(options, context),
      context: context.cwd === undefined ? undefined : { cwd: context.cwd },
      signal,
      deadline: options.deadline,
      run: (args) => {
        mine = true;
        return { input: args };
      },
    });
    // Claude Code runs what it is allowed: an approval that an identical call has spent allows no second one.
    if (outcome.type === "succeeded" && !mine) throw new CountersignError("already_claimed", SPENT);
    if (outcome.type !== "succeeded" || outcome.withheld) return { allowed: false, told: asTold(tell(outcome)) };
    const effective = (outcome.result as { readonly input: Record<string, unknown> }).input;
    return { allowed: true, input: effective, ...(outcome.changes === undefined ? {} : { message: outcome.message }) };
  } catch (error) {
    return { allowed: false, told: tellError(error) };
  }
}

const SPENT = "an identical call was let through with this approval a moment ago, and it runs once.";
const UNDECLARED = { riskTier: "R3" } as const;

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
