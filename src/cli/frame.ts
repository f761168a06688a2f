import type { Command } from "commander";
import { CountersignError, toCountersignError } from "../core/errors.js";
import { Console, EXIT, type Process } from "./console.js";

/** What a command is: it reads its arguments and gives the exit code. */
type Action = (
  console: Console,
  options: Record<string, string | undefined>,
  ...args: readonly string[]
) => Promise<number>;

/** What commands are hung into. */
export interface Frame {
  readonly program: Command;
  /** Runs an action with the console; whatever it throws becomes a line and an exit code. */
  readonly run: (action: Action) => (...given: unknown[]) => Promise<void>;
}

export function frameOf(program: Command, process: Process, exit: (code: number) => void): Frame {
  return {
    program,
    run:
      (action) =>
      async (...given) => {
        // commander hands over the arguments, then the options, then the command itself.
        const args = given.slice(0, -2) as string[];
        const command = given.at(-1) as Command;
        const options = command.optsWithGlobals<Record<string, string | undefined>>();
        const lang = options["lang"];
        const console = new Console(process, {
          json: Boolean(options["json"]),
          ...(lang === "zh" || lang === "en" ? { locale: lang } : {}),
        });
        try {
          exit(await action(console, options, ...args.flat()));
        } catch (error) {
          exit(tell(console, error));
        }
      },
  };
}

/** One line for people, the code for programs. */
function tell(console: Console, thrown: unknown): number {
  const error = thrown instanceof CountersignError ? thrown : asOurs(thrown);
  if (console.json) console.process.stderr.write(`${JSON.stringify({ code: error.code, message: error.message })}\n`);
  else for (const line of [error.message, ...(ADVICE[error.code] ?? [])]) console.say(line);
  return CODES[error.code] ?? EXIT.failed;
}

const CODES: Readonly<Record<string, number>> = {
  not_signed_in: EXIT.notSignedIn,
  unreachable: EXIT.unreachable,
  interrupted: EXIT.interrupted,
  invalid_request: EXIT.usage,
  // What a server is started with, or a file that is tried, is configuration too.
  invalid_policy: EXIT.usage,
  invalid_json: EXIT.usage,
  unknown_key: EXIT.usage,
};

/** What to try, for people. */
const ADVICE: Readonly<Record<string, readonly string[]>> = {
  unreachable: ["Does it run there? `countersign serve` starts one; --url or COUNTERSIGN_URL names another address."],
};

/** What a file that was named can be wrong in. */
const FILE_TROUBLE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of it is not a folder",
  EISDIR: "it is a folder",
  EACCES: "this account may not open it",
  EPERM: "this account may not change it",
};

/** Errors of the client carry their own codes; what is nobody's is shown as what it is. */
function asOurs(thrown: unknown): { readonly code: string; readonly message: string } {
  const { code, message, path } = thrown as { code?: unknown; message?: unknown; path?: unknown };
  const trouble = typeof code === "string" && Object.hasOwn(FILE_TROUBLE, code) ? FILE_TROUBLE[code] : undefined;
  if (trouble !== undefined && typeof path === "string") {
    return { code: "invalid_request", message: `${path} cannot be used: ${trouble}.` };
  }
  if (typeof code === "string" && typeof message === "string") return { code, message };
  return typeof message === "string" ? { code: "failed", message } : toCountersignError(thrown);
}
