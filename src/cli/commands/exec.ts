import { CountersignError } from "../../core/errors.js";
import type { Outcome } from "../../core/outcome.js";
import { atLeast } from "../../core/risk.js";
import { connectGate } from "../../remote/index.js";
import { localTime } from "../../terminal/local-time.js";
import { tellRetries } from "../agent-gate.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { type Ran, shellCall, shellTool } from "../shell-tool.js";
import { urlOf } from "../signed-in.js";

type Options = Record<string, string | undefined>;

/** Runs a command once somebody has said yes to exactly this command in exactly this folder. */
export function execCommand({ program, run }: Frame): void {
  program
    .command("exec <command...>")
    .description("gate a shell command: countersign exec -- rm -r build")
    .option(
      "--confirm <where>",
      "who is asked: server, the people of a server; stdin, you, here, up to “Sensitive”",
      "server",
    )
    .option("--key-variable <name>", "the environment variable that holds the agent's key", "COUNTERSIGN_KEY")
    .option("--timeout <seconds>", "give up waiting after so long; the question stays open")
    .option("--session <id>", "the agent's own name for its run")
    .action(
      run((console, options, ...words) => {
        const { confirm } = options;
        if (confirm === "stdin") return here(console, options, words);
        if (confirm === "server") return byServer(console, options, words);
        throw new CountersignError("invalid_request", "--confirm is server or stdin.");
      }),
    );
}

/** Asks whoever sits at this terminal. What a terminal may not decide goes to the server, where there is a key for one. */
async function here(console: Console, options: Options, words: readonly string[]): Promise<number> {
  const ran: Ran = {};
  // Only here: the other commands start without carrying an engine.
  const { execHere } = await import("../exec-here.js");
  const { told, interrupted } = await untilInterrupted(console, (signal) =>
    execHere(console, words, { session: options["session"], ran, signal }),
  );
  if (told.type === "told") {
    const exit = end(console, told.outcome, ran.code);
    return interrupted && ran.code === undefined ? EXIT.interrupted : exit;
  }
  if (interrupted) return EXIT.interrupted;
  const { risk, humanSummary, reasons } = told.card;
  console.say(`${risk.word}: ${humanSummary} This is more than a terminal decides: a program can drive one.`);
  for (const { text } of reasons.filter((reason) => atLeast(reason.riskTier, "R3"))) console.say(`  - ${text}`);
  if (keyIn(console, options) !== undefined) return byServer(console, options, words);
  console.say(
    "Nothing ran. Have it decided in the browser: countersign serve, then countersign exec with an agent's key.",
  );
  return EXIT.failed;
}

async function byServer(console: Console, options: Options, words: readonly string[]): Promise<number> {
  const ran: Ran = {};
  const timeout = timeoutOf(options);
  const url = urlOf(console, options);
  const gate = connectGate({
    url,
    key: keyOf(console, options),
    tools: [shellTool(ran)],
    onRetry: tellRetries(console),
    ...(options["session"] === undefined ? {} : { sessionId: options["session"] }),
  });
  try {
    const asked = await gate.submit(shellCall(words, process.cwd()));
    if (asked.type !== "pending") return end(console, asked, ran.code);
    const { code, approvalId, expiresAt } = asked.card;
    const { told, interrupted } = await untilInterrupted(console, (signal) => {
      console.say(`Waiting for a person: ${code}, until ${localTime(expiresAt)}. Ctrl-C withdraws it.`);
      console.say(`${url}/approvals/${approvalId}`);
      const deadline = timeout === undefined ? {} : { deadline: timeout };
      return gate.resume(asked.approvalId, undefined, { signal, ...deadline });
    });
    const exit = end(console, told, ran.code);
    return interrupted && ran.code === undefined ? EXIT.interrupted : exit;
  } finally {
    await gate.close();
  }
}

/**
 * Ctrl-C withdraws a question that nobody would be there for any more. A command that runs already gets the signal from the
 * terminal itself, and how it ended is reported. The second Ctrl-C waits for nothing.
 */
async function untilInterrupted<Told>(
  { process }: Console,
  task: (signal: AbortSignal) => Promise<Told>,
): Promise<{ readonly told: Told; readonly interrupted: boolean }> {
  const leaving = new AbortController();
  const leave = () => {
    process.off("SIGINT", leave);
    leaving.abort();
  };
  process.on("SIGINT", leave);
  try {
    return { told: await task(leaving.signal), interrupted: leaving.signal.aborted };
  } finally {
    process.off("SIGINT", leave);
  }
}

/** Milliseconds from now, if there is an end to the waiting. */
function timeoutOf({ timeout }: Options): number | undefined {
  if (timeout === undefined) return undefined;
  const seconds = Number(timeout);
  if (timeout.trim() !== "" && Number.isFinite(seconds) && seconds >= 0) return seconds * 1_000;
  throw new CountersignError("invalid_request", `--timeout is a number of seconds, not "${timeout}".`);
}

function keyIn({ process: { env } }: Console, { keyVariable = "COUNTERSIGN_KEY" }: Options): string | undefined {
  return env[keyVariable] || undefined;
}

function keyOf(console: Console, options: Options): string {
  const key = keyIn(console, options);
  if (key !== undefined) return key;
  throw new CountersignError(
    "invalid_request",
    `Set ${options["keyVariable"]} to an agent's key: countersign keys create NAME --for exec`,
  );
}

/** The command's own exit code where it ran; else why it did not. */
function end(console: Console, told: Outcome, code: number | undefined): number {
  if (code !== undefined) return code;
  console.answer(told, () => told.message);
  const codes: Partial<Record<Outcome["type"], number>> = EXIT;
  return codes[told.type] ?? EXIT.failed;
}
