import { spawn } from "node:child_process";
import { constants } from "node:os";
import { z } from "zod";
import { defineTool } from "../core/tool.js";

/** A person may take their time; somebody who waits for a command may, too. */
const LONGEST_RUN = 3_600_000;

/** What the command gave back, once it ran. */
export interface Ran {
  code?: number;
}

/** What stands in `command` is read by the shell analyser, which raises what is dangerous; the rest asks as R2. */
export function shellTool(ran: Ran) {
  return defineTool({
    name: "shell.command",
    title: { en: "Shell command", zh: "Shell 命令" },
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

/** The call that asks for this command line in this folder. Several words are joined so that a shell splits them the same way. */
export function shellCall(words: readonly string[], folder: string) {
  const command = words.length === 1 ? (words[0] ?? "") : words.map(quoted).join(" ");
  return { tool: "shell.command", args: { command, folder } };
}

/** Exactly the text that was approved, in exactly that folder. */
function shell(command: string, folder: string): Promise<number> {
  // Ctrl-C reaches the command from the terminal itself; who reports how it ends has to outlive it. A second one waits for nothing.
  const outlive = () => {};
  process.once("SIGINT", outlive);
  return new Promise<number>((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { cwd: folder, stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 128 + constants.signals[signal])));
  }).finally(() => process.off("SIGINT", outlive));
}

/** A word as a shell has to be told it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
