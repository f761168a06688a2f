import { readFileSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import { approvalCommands } from "./commands/approvals.js";
import { auditCommands } from "./commands/audit.js";
import { channelCommands } from "./commands/channels.js";
import { claudeCodeCommands } from "./commands/claude-code.js";
import { completionCommand } from "./commands/completion.js";
import { configCommands } from "./commands/config.js";
import { doctorCommand } from "./commands/doctor.js";
import { execCommand } from "./commands/exec.js";
import { initCommand } from "./commands/init.js";
import { linkCommand } from "./commands/link.js";
import { mcpCommands } from "./commands/mcp.js";
import { policyCommands } from "./commands/policy.js";
import { serveCommand } from "./commands/serve.js";
import { sessionCommands } from "./commands/session.js";
import { standingCommands } from "./commands/standing.js";
import { watchCommand } from "./commands/watch.js";
import { EXIT, type Process } from "./console.js";
import { frameOf } from "./frame.js";

/** In the order of `--help`. */
const COMMANDS = [
  serveCommand,
  linkCommand,
  sessionCommands,
  approvalCommands,
  watchCommand,
  execCommand,
  claudeCodeCommands,
  mcpCommands,
  standingCommands,
  policyCommands,
  auditCommands,
  channelCommands,
  initCommand,
  configCommands,
  doctorCommand,
  completionCommand,
];

/** Runs one command line and gives its exit code. */
export async function runProgram(argv: readonly string[], process: Process): Promise<number> {
  let code: number = EXIT.ok;
  const program = new Command("countersign")
    .description("The approval layer for AI agents.")
    .version(versionOf())
    .option("--json", "one JSON value on standard output, for programs")
    .option("--url <address>", "the server (COUNTERSIGN_URL, http://localhost:4747)")
    .option("--workspace <id>", "the workspace, for those who belong to several")
    .addOption(new Option("--lang <language>", "by default that of the terminal").choices(["en", "zh"]))
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(--help says how it is used)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => process.stdout.write(text),
      writeErr: (text) => process.stderr.write(text),
    });
  const frame = frameOf(program, process, (ended) => {
    code = ended;
  });
  for (const add of COMMANDS) add(frame);
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return code;
}

function versionOf(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
