import type { Unread } from "./statement.js";

export type Loaded<Parser> = { readonly parser: Parser } | Unread;

/**
 * Loads an optional parser once, at first use: both are wasm of some megabytes. A missing package is not remembered, so that
 * installing it is enough.
 */
export function lazyParser<Parser>(
  label: string,
  packageName: string,
  load: () => Promise<Parser>,
): () => Promise<Loaded<Parser>> {
  let loading: Promise<Loaded<Parser>> | undefined;
  return () => {
    loading ??= load().then(
      (parser) => ({ parser }),
      (error: unknown) => {
        loading = undefined;
        return { code: "parser_missing", sentence: explain(label, packageName, error) };
      },
    );
    return loading;
  };
}

function explain(label: string, packageName: string, error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") {
    return `The SQL analyser for ${label} needs the "${packageName}" package. Install it: npm i ${packageName}`;
  }
  return `The SQL analyser for ${label} could not load the "${packageName}" package: ${reasonOf(error)}`;
}

/** What went wrong, in the words of whoever threw it. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
