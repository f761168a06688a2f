import { createHash } from "node:crypto";
import type { CommandResult, JsonObject, PreviewContext } from "countersign";
import type { Household } from "../household/household.js";

export interface RunContext extends PreviewContext {
  readonly idempotencyKey: string;
}

/**
 * What a tool that writes only to the household declares: once per key, with its result remembered beside what it wrote, so that
 * repeating it is harmless and a crash leaves no doubt.
 */
export function stored<Args, Result>(household: Household, work: (args: Args, context: RunContext) => Result) {
  return {
    idempotent: true,
    execute: (args: Args, context: RunContext): Result =>
      household.once(context.idempotencyKey, () => work(args, context)),
    status: (_args: Args, { idempotencyKey }: { readonly idempotencyKey: string }) =>
      household.outcomeOf(idempotencyKey),
  };
}

/** The same for a command. A failure is told by value and leaves nothing written. */
export function storedCommand<Args, Data>(
  household: Household,
  work: (args: Args, context: RunContext) => CommandResult<Data>,
) {
  const { execute, ...declared } = stored(household, (args: Args, context: RunContext) => {
    const result = work(args, context);
    if (!result.success) throw new CommandFailed(result);
    return result;
  });
  const handler = (args: Args, context: RunContext): CommandResult<Data> => {
    try {
      return execute(args, context);
    } catch (error) {
      if (error instanceof CommandFailed) return error.result;
      throw error;
    }
  };
  return { ...declared, handler };
}

class CommandFailed extends Error {
  readonly result: CommandResult<never>;

  constructor(result: CommandResult<unknown>) {
    super("The command failed.");
    this.result = result as CommandResult<never>;
  }
}

/** Names the state a preview was computed from: another one at the claim asks anew. */
export function digestOf(...state: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(state)).digest("hex");
}

/** A patch as it is shown: only what it changes. */
export function defined(patch: object): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as JsonObject;
}

type Noun = { readonly en: string; readonly zh: string };

/** The result of such a command names the one that takes it back. */
export const TAKEN_BACK = {
  note: { en: "It can be taken back: its result says by which command.", zh: "可以撤销：结果中会给出撤销命令。" },
};

export function makesOne(noun: Noun, name: string) {
  return { effects: [{ kind: "create", noun, count: 1, sample: [name] }] };
}

/** A thing as it is and as it will be. One that is not there changes nothing, as the command will say. */
export function changesOne(noun: Noun, before: JsonObject | undefined, after: object) {
  const effect = { kind: "update", noun, count: 1, before: before ?? {}, after: defined(after) };
  return { effects: before === undefined ? [] : [effect], digest: digestOf(before ?? null) };
}
