import type { Caller } from "./call.js";
import type { Gate } from "./gate.js";
import type { Outcome } from "./outcome.js";
import type { StandardSchema } from "./schema.js";
import { defineTool, type ToolDefinition } from "./tool.js";
import type { WaitOptions } from "./wait.js";

/** A plain function with a schema, and whatever else a tool may declare; its name is its key. */
// oxlint-disable-next-line typescript/no-explicit-any -- each entry has its own argument type
type Functions = Record<string, Omit<ToolDefinition<any, any>, "name">>;

type ArgsOf<T> = T extends { readonly inputSchema: StandardSchema<infer Args> } ? Args : unknown;
type ResultOf<T> = T extends { readonly execute: (...args: never[]) => infer Result } ? Awaited<Result> : unknown;

/** The same functions behind the gate: each call waits for its person and tells what it came to. */
export type Gated<T extends Functions> = {
  readonly [Name in keyof T]: (
    args: ArgsOf<T[Name]>,
    caller?: Caller,
    options?: WaitOptions,
  ) => Promise<Outcome<ResultOf<T[Name]>>>;
};

/** Registers plain functions with the gate and gives back callables that can only go through it. */
export function gated<T extends Functions>(gate: Gate, functions: T): Gated<T> {
  const wrapped = Object.entries(functions).map(([name, definition]) => {
    gate.registry.add(defineTool({ ...definition, name }));
    return [
      name,
      (args: unknown, caller?: Caller, options?: WaitOptions) => gate.run({ tool: name, args }, caller, options),
    ] as const;
  });
  return Object.fromEntries(wrapped) as Gated<T>;
}
