import { spawn } from "node:child_process";
import { z } from "zod";
import { CountersignError } from "../../core/errors.js";
import type { Outcome } from "../../core/outcome.js";
import { defineTool } from "../../core/tool.js";
import { connectGate } from "../../remote/index.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { urlOf } from "../signed-in.js";

/** A person may take their time; somebody who waits for a command may, too. */
const LONGEST_RUN = 3_600_000;

/** Runs a command once somebody has said yes to exactly this command in exactly this folder. */
export function execCommand({ program, run }: Frame): void {
  program
    .command("exec <command...>")
    .description("gate a shell command: countersign exec -- rm -r build")
    .option("--key-variable <name>", "the environment variable that holds the agent's key", "COUNTERSIGN_KEY")
    .option("--timeout <seconds>", "give up waiting after so long; the question stays open")
    .option("--session <id>", "the agent's own name for its run")
    .action(
      run(async (console, options, ...words) => {
        const ran: { code?: number } = {};
        const gate = connectGate({
          url: urlOf(console, options),
          key: keyOf(console, options),
          tools: [shellTool(ran)],
        });
        try {
          const command = words.length === 1 ? (words[0] ?? "") : words.map(quoted).join(" ");
          const caller = options["session"] === undefined ? {} : { sessionId: options["session"] };
          const call = { tool: "shell.command", args: { command, folder: process.cwd() }, ...caller };
          const asked = await gate.submit(call);
          if (asked.type !== "pending") return end(console, asked, ran.code);
          console.say(asked.message);
          const wait =
            options["timeout"] === undefined
              ? { signal: new AbortController().signal }
              : { deadline: new Date(Date.now() + Number(options["timeout"]) * 1_000) };
          return end(console, await gate.resume(asked.approvalId, undefined, wait), ran.code);
        } finally {
          await gate.close();
        }
      }),
    );
}

/** What stands in `command` is read by the shell analyser, which raises what is dangerous; the rest asks as R2. */
function shellTool(ran: { code?: number }) {
  return defineTool({
    name: "shell.command",
    title: "Shell command",
    confirmPrompt: { en: "Run {command}?", zh: "运行 {command}？" },
    effect: "write",
    riskTier: "R2",
    confirm: true,
    timeout: LONGEST_RUN,
    inputSchema: z.object({
      command: z.string().meta({ title: "Command", format: "shell" }),
      folder: z.string().meta({ title: "Folder" }),
    }),
    async execute({ command, folder }) {
      ran.code = await shell(command, folder);
      if (ran.code !== 0) throw new Error(`exit code ${ran.code}`);
      return { exitCode: 0 };
    },
  });
}

function keyOf({ process: { env } }: Console, options: Record<string, string | undefined>): string {
  const variable = options["keyVariable"] ?? "COUNTERSIGN_KEY";
  const key = env[variable];
  if (key !== undefined && key !== "") return key;
  throw new CountersignError(
    "invalid_request",
    `Set ${variable} to an agent's key with the scope shell.command: countersign keys create NAME --scope shell.command`,
  );
}

/** The command's own exit code where it ran; else why it did not. */
function end(console: Console, told: Outcome, code: number | undefined): number {
  if (code !== undefined) return code;
  console.answer(told, () => told.message);
  const codes: Partial<Record<Outcome["type"], number>> = EXIT;
  return codes[told.type] ?? EXIT.failed;
}

/** Exactly the text that was approved, in exactly that folder. */
function shell(command: string, folder: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { cwd: folder, stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

/** Words of a command line as one text that a shell splits into the same words again. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
