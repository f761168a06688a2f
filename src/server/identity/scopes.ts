import { CountersignError } from "../../core/errors.js";

/** Segments joined by dots; `*` stands only at the end, after a dot or MCP's `__`, for everything below, and never alone. */
const SCOPE = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*(?:(?:\.|(?<=[A-Za-z0-9-])__)\*)?$/;
const MAX_SCOPES = 200;
const MAX_SCOPE_LENGTH = 200;

export function checkScopes(scopes: unknown): readonly string[] {
  const good =
    Array.isArray(scopes) &&
    scopes.length <= MAX_SCOPES &&
    scopes.every((scope) => typeof scope === "string" && scope.length <= MAX_SCOPE_LENGTH && SCOPE.test(scope));
  if (!good) {
    throw new CountersignError(
      "invalid_request",
      `Scopes are a list of at most ${MAX_SCOPES} names such as "email.send", "email.*" or "mcp__files__*"; "*" alone is none.`,
      { path: "scopes" },
    );
  }
  return [...new Set(scopes as string[])].toSorted();
}

/**
 * Whether a key with these scopes may ask for the tool. `email.*` covers `email.send` and every tool whose app, as the server
 * registered it, is `email`; it does not cover a tool named `email`. `mcp__files__*` covers the tools of that MCP server. No
 * scopes cover nothing.
 */
export function covers(scopes: readonly string[], tool: { readonly name: string; readonly app?: string }): boolean {
  return scopes.some((scope) => {
    if (!scope.endsWith("*")) return scope === tool.name;
    const above = scope.slice(0, -1);
    return (tool.name.startsWith(above) && tool.name.length > above.length) || `${tool.app ?? ""}.` === above;
  });
}
