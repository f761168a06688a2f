import { homedir } from "node:os";
import { join } from "node:path";

/** Where a client keeps its servers, and under which key. */
export interface InstallClient {
  readonly key: "mcpServers" | "servers";
  readonly path: () => string;
}

/** Paths that are not absolute are of the project in whose folder one stands. */
export const CLIENTS: Readonly<Record<string, InstallClient>> = {
  "claude-desktop": { key: "mcpServers", path: () => inAppData("Claude", "claude_desktop_config.json") },
  "claude-code": { key: "mcpServers", path: () => join(homedir(), ".claude.json") },
  "claude-code-project": { key: "mcpServers", path: () => ".mcp.json" },
  cursor: { key: "mcpServers", path: () => join(homedir(), ".cursor", "mcp.json") },
  "cursor-project": { key: "mcpServers", path: () => join(".cursor", "mcp.json") },
  windsurf: { key: "mcpServers", path: () => join(homedir(), ".codeium", "windsurf", "mcp_config.json") },
  "gemini-cli": { key: "mcpServers", path: () => join(homedir(), ".gemini", "settings.json") },
  vscode: { key: "servers", path: () => inAppData("Code", "User", "mcp.json") },
  "vscode-project": { key: "servers", path: () => join(".vscode", "mcp.json") },
};

/** The clients whose configuration `installGateway` knows where to find. */
export const INSTALL_CLIENTS: readonly string[] = Object.keys(CLIENTS);

/** Where programs with windows keep what they know, on each system. */
function inAppData(...parts: readonly string[]): string {
  const home = homedir();
  if (process.platform === "darwin") return join(home, "Library", "Application Support", ...parts);
  if (process.platform === "win32") return join(process.env["APPDATA"] ?? join(home, "AppData", "Roaming"), ...parts);
  return join(process.env["XDG_CONFIG_HOME"] || join(home, ".config"), ...parts);
}

/** Values that a client fills in by itself: what it asks for, and where it stands. */
const CLIENT_VALUES =
  /\$\{(?:input:|config:|command:|workspaceFolder|userHome|file|relativeFile|cwd|pathSeparator|CLAUDE_)/;

/** Why a server cannot be started by anybody but its client. */
export function problemOf(entry: unknown): string | undefined {
  const { command, url, serverUrl, httpUrl } = (entry ?? {}) as Record<string, unknown>;
  if ([command, url, serverUrl, httpUrl].every((start) => typeof start !== "string"))
    return "it has neither a command nor a url";
  return CLIENT_VALUES.test(JSON.stringify(entry)) ? "its client fills in some of its values" : undefined;
}
