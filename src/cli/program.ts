import { readFileSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import { EXIT, type Process } from "./console.js";
import { type Frame, frameOf } from "./frame.js";

type Add = (frame: Frame) => void;

/**
 * The words that may come first, and what hangs them in, in the order of `--help`. Each is loaded when it is needed: agents call
 * some of them before every tool, and reading what all of them stand on takes longer than most have to do.
 */
const COMMANDS: readonly (readonly [words: readonly string[], load: () => Promise<Add>])[] = [
  [["serve"], async () => (await import("./commands/serve.js")).serveCommand],
  [["link"], async () => (await import("./commands/link.js")).linkCommand],
  [["login", "logout"], async () => (await import("./commands/session.js")).sessionCommands],
  [["pending", "show", "approve", "deny"], async () => (await import("./commands/approvals.js")).approvalCommands],
  [["watch"], async () => (await import("./commands/watch.js")).watchCommand],
  [["exec"], async () => (await import("./commands/exec.js")).execCommand],
  [["hook", "permission-prompt"], async () => (await import("./commands/claude-code.js")).claudeCodeCommands],
  [["mcp"], async () => (await import("./commands/mcp.js")).mcpCommands],
  [["grants", "keys", "devices"], async () => (await import("./commands/standing.js")).standingCommands],
  [["policy"], async () => (await import("./commands/policy.js")).policyCommands],
  [["audit"], async () => (await import("./commands/audit.js")).auditCommands],
  [["channels"], async () => (await import("./commands/channels.js")).channelCommands],
  [["init"], async () => (await import("./commands/init.js")).initCommand],
  [["config"], async () => (await import("./commands/config.js")).configCommands],
  [["doctor"], async () => (await import("./commands/doctor.js")).doctorCommand],
  // Names all the others.
  [[], async () => (await import("./commands/completion.js")).completionCommand],
];

/** All of them wherever the first word is not one that a single one of them hangs in: help, options with values, slips. */
function commandsFor(argv: readonly string[]): Promise<Add[]> {
  const first = argv.find((argument) => argument !== "--json") ?? "";
  const asked = COMMANDS.filter(([words]) => words.includes(first));
  return Promise.all((asked.length > 0 ? asked : COMMANDS).map(([, load]) => load()));
}

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
  for (const add of await commandsFor(argv)) add(frame);
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
