import { CountersignError } from "../../core/errors.js";
import { agentGate } from "../agent-gate.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";

type Options = Record<string, string | undefined>;

/** What Claude Code asks: a hook before its tools, and a tool where nobody sits at its terminal. */
export function claudeCodeCommands({ program, run }: Frame): void {
  program
    .command("hook")
    .description("answer a hook of Claude Code: its JSON on standard input, the answer on standard output")
    .option("--when-down <what>", "deny or ask, when the server does not answer", "deny")
    .option("--wait <seconds>", "how long to wait for a person; less than the hook's own timeout", "540")
    .action(
      run(async (console, options) => {
        const answer = await hookAnswer(console, options);
        console.process.stdout.write(`${JSON.stringify(answer)}\n`);
        return EXIT.ok;
      }),
    );
  program
    .command("permission-prompt")
    .description("an MCP server over standard input and output, for claude --permission-prompt-tool")
    .action(
      run(async (console, options) => {
        const { permissionPromptServer } = await import("../../adapters/claude-code/index.js");
        const { StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
        const gate = await agentGate(console, options, "claude-code");
        const server = permissionPromptServer(gate);
        await server.connect(new StdioServerTransport());
        await new Promise<void>((resolve) => {
          console.process.stdin.once("end", resolve);
        });
        await server.close();
        await gate.close();
        return EXIT.ok;
      }),
    );
}

/**
 * Claude Code goes on when a hook fails in any way but one, so whatever goes wrong here is answered, and the answer is no. So is
 * one that comes too late: the person is waited for less long than the hook may take.
 */
async function hookAnswer(console: Console, options: Options): Promise<unknown> {
  const { answerHook, refuseHook } = await import("../../adapters/claude-code/index.js");
  const json = await readJson(console);
  try {
    const { whenDown } = options;
    if (whenDown !== "deny" && whenDown !== "ask") {
      throw new CountersignError("invalid_request", "--when-down is deny or ask.");
    }
    const sessionId = (json as { readonly session_id?: unknown } | undefined)?.session_id;
    const named = typeof sessionId === "string" && sessionId !== "" ? { sessionId } : {};
    const gate = await agentGate(console, options, "claude-code", named);
    try {
      return await answerHook(json, gate, { whenDown, deadline: secondsOf(options["wait"]) * 1_000 });
    } finally {
      await gate.close();
    }
  } catch (error) {
    return refuseHook(json, error);
  }
}

function secondsOf(text: string | undefined): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new CountersignError("invalid_request", `--wait is a number of seconds, not "${text}".`);
}

/** What is not JSON is no tool call, and the answer to that is no. */
async function readJson({ process: { stdin } }: Console): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}
