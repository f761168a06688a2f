import type * as Unbash from "unbash";

export type Parser = Pick<typeof Unbash, "parse" | "forEachChild">;

let loading: Promise<Parser | undefined> | undefined;

/** The shell grammar, loaded at first use. Undefined when the optional package is not installed. */
export function loadParser(): Promise<Parser | undefined> {
  loading ??= import("unbash").catch(() => undefined);
  return loading;
}
