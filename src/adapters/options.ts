import type { Caller } from "../core/call.js";
import { CountersignError } from "../core/errors.js";
import type { ToolDefinition } from "../core/tool.js";

/** What the host knows of a tool and its framework cannot say: whether it reads, how far it reaches, what is sensitive. */
// oxlint-disable-next-line typescript/no-explicit-any -- each tool has its own argument type
export type Declaration = Omit<ToolDefinition<any, any>, "name" | "inputSchema" | "execute">;

export interface AdapterOptions<Context> {
  /** Who calls, and for whom; found from what the framework hands to a tool. Left out, the gate's own caller. */
  readonly caller?: Caller | ((context: Context) => Caller | undefined);
  /** By tool name. A tool that is not declared counts as a write of unknown reach, so it asks. */
  readonly declare?: Readonly<Record<string, Declaration>>;
  /** Milliseconds after which a model that waits is told that its call is still pending. Left out, it waits for the end. */
  readonly deadline?: number;
}

/** A caller that cannot be found is nobody, and nobody may call. */
export function callerOf<Context>(options: AdapterOptions<Context>, context: Context): Caller | undefined {
  const { caller } = options;
  if (typeof caller !== "function") return caller;
  const found = caller(context);
  if (found === undefined) {
    throw new CountersignError(
      "invalid_call",
      "Nobody is known to make this call; a call without its context is refused.",
    );
  }
  return found;
}

export function declarationOf<Context>(options: AdapterOptions<Context>, tool: string): Declaration {
  const { declare = {} } = options;
  return Object.hasOwn(declare, tool) ? (declare[tool] as Declaration) : {};
}
