import type { AgentView, IssuedKey } from "../../client/index.js";
import { CountersignError } from "../../core/errors.js";
import { localTime } from "../../terminal/local-time.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { signedIn } from "../signed-in.js";
import { table } from "../table.js";

/** Agents and what they may ask for. A key is shown once. */
export function keyCommands({ program, run }: Frame): void {
  const keys = program.command("keys").description("agents and their API keys");
  keys
    .command("list", { isDefault: true })
    .description("list agents")
    .action(
      run(async (console, options) => {
        const { agents } = await signedIn(console, options).get<{ agents: AgentView[] }>("/v1/agents");
        const live = agents.filter(({ revokedAt }) => revokedAt === null);
        console.answer(agents, () =>
          table(
            ["agent", "name", "kind", "scopes"],
            live.map(({ agentId, name, kind, scopes }) => [agentId, name, kind, scopes.join(" ")]),
            "There are no agents. Make one: countersign keys create NAME --scope 'email.*'",
          ),
        );
        return EXIT.ok;
      }),
    );
  keys
    .command("create <name>")
    .description("make an agent with its first key, which is shown once")
    .option("--scope <scopes>", "tools it may ask for, comma between several: email.send,tasks.*,mcp__files__*")
    .option("--for <agent>", `the tools of an agent that is known here: ${Object.keys(KNOWN_AGENTS).join(", ")}`)
    .action(
      run(async (console, options, name = "") => {
        const scopes = [...(await scopesFor(options["for"])), ...scopesIn(options["scope"])];
        if (scopes.length === 0) {
          throw new CountersignError("invalid_request", "Say what it may ask for: --scope email.send, or --for AGENT.");
        }
        const issued = await signedIn(console, options).post<IssuedKey>("/v1/agents", { name, scopes });
        console.answer(issued, () => [
          issued.apiKey,
          `Shown once. Agent ${issued.agentId}, until ${localTime(issued.expiresAt)}.`,
        ]);
        return EXIT.ok;
      }),
    );
  keys
    .command("rotate <agent>")
    .description("a new key; the old one works for a day more")
    .action(
      run(async (console, options, agent = "") => {
        const path = `/v1/agents/${encodeURIComponent(agent)}/keys/rotate`;
        const issued = await signedIn(console, options).post<IssuedKey>(path);
        console.answer(issued, () => [issued.apiKey, `Shown once, until ${localTime(issued.expiresAt)}.`]);
        return EXIT.ok;
      }),
    );
  keys
    .command("revoke <agent>")
    .description("end an agent and all its keys at once")
    .action(
      run(async (console, options, agent = "") => {
        await signedIn(console, options).delete(`/v1/agents/${encodeURIComponent(agent)}`);
        console.answer({ revoked: agent }, () => "Revoked, everywhere and at once.");
        return EXIT.ok;
      }),
    );
}

/** Keys cover tools by name, and some agents have many. */
const KNOWN_AGENTS: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  "claude-code": async () => {
    const { BUILTIN_TOOLS } = await import("../../adapters/claude-code/index.js");
    return [...Object.keys(BUILTIN_TOOLS), ...ANY_MCP_SERVER];
  },
  mcp: async () => ANY_MCP_SERVER,
  exec: async () => ["shell.command"],
};
const ANY_MCP_SERVER = ["mcp__*"];

async function scopesFor(agent: string | undefined): Promise<readonly string[]> {
  if (agent === undefined) return [];
  const known = Object.hasOwn(KNOWN_AGENTS, agent) ? KNOWN_AGENTS[agent] : undefined;
  if (known !== undefined) return known();
  const names = Object.keys(KNOWN_AGENTS).join(", ");
  throw new CountersignError(
    "invalid_request",
    `"${agent}" is not an agent known here (${names}). Name its tools: --scope …`,
  );
}

function scopesIn(scopes = ""): string[] {
  return scopes
    .split(",")
    .map((scope) => scope.trim())
    .filter((scope) => scope !== "");
}
