import { CountersignError } from "./errors.js";
import type { JsonObject } from "./json.js";
import { finishTool, type Tool, type ToolDefinition, type Warning } from "./tool.js";

/** A command is a tool by another name: kebab-case, with `mutation` for its effect. It lives in the same registry. */
export interface CommandDefinition<Args, Data>
  extends Omit<ToolDefinition<Args, CommandResult<Data>>, "effect" | "execute" | "inputSchema"> {
  readonly input?: ToolDefinition<Args>["inputSchema"];
  /** Unless it is `false`, the command counts as a write. */
  readonly mutation?: boolean;
  readonly handler: (
    args: Args,
    context: Parameters<NonNullable<ToolDefinition<Args>["execute"]>>[1],
  ) => CommandResult<Data> | Promise<CommandResult<Data>>;
}

export type CommandResult<Data = unknown> =
  | ({ readonly success: true; readonly data: Data } & SuccessExtra)
  | { readonly success: false; readonly error: CommandError; readonly warnings?: readonly Warning[] };

interface SuccessExtra {
  readonly warnings?: readonly Warning[];
  /** The command that takes this back, itself gated like any other. Both or neither. */
  readonly undoCommand?: string;
  readonly undoArgs?: JsonObject;
}

export interface CommandError {
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string;
  readonly retryable?: boolean;
}

const COMMAND_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/;

/** `todo-delete-batch` becomes the tool `todo.delete-batch`; a failure result is a failed execution. */
export function defineCommand<Args = unknown, Data = unknown>(
  definition: CommandDefinition<Args, Data>,
): Tool<Args, CommandResult<Data>> {
  const { handler, mutation, input, ...rest } = definition;
  if (!COMMAND_NAME.test(definition.name)) {
    throw new CountersignError(
      "invalid_tool",
      `The command "${definition.name}" needs a kebab-case name of two words or more, such as "todo-delete".`,
    );
  }
  if (mutation === false && definition.destructive === true) {
    throw new CountersignError(
      "invalid_tool",
      `The command "${definition.name}" is destructive and says \`mutation: false\`.`,
    );
  }
  return finishTool<Args, CommandResult<Data>>(
    {
      ...rest,
      name: definition.name.replace("-", "."),
      effect: mutation === false ? "read" : "write",
      ...(input === undefined ? {} : { inputSchema: input }),
      execute: handler,
    },
    definition.name,
  );
}

/** What a command's handler returns when it has done its work. */
export function success<Data>(data: Data, extra: SuccessExtra = {}): CommandResult<Data> {
  return { success: true, data, ...extra };
}

/** What it returns when it has not: the call is recorded as failed, and the agent is told the message. */
export function failure(
  error: CommandError | string,
  extra: { readonly warnings?: readonly Warning[] } = {},
): CommandResult<never> {
  return { success: false, error: typeof error === "string" ? { code: "FAILED", message: error } : error, ...extra };
}

/** A command says failure by value, where other tools throw. */
export function failureOf(tool: { readonly command?: string }, result: unknown): CommandError | undefined {
  if (tool.command === undefined || result === null || typeof result !== "object") return undefined;
  const outcome = result as CommandResult;
  if (outcome.success !== false) return undefined;
  const { code, message }: Partial<CommandError> = outcome.error ?? {};
  return { ...outcome.error, code: code ?? "FAILED", message: String(message ?? "no reason was given") };
}
