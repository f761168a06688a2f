import { spawn } from "node:child_process";
import { CountersignError } from "../../core/errors.js";
import type { JsonObject } from "../../core/json.js";
import type { Outcome } from "../../core/outcome.js";
import { Api, ApiError } from "../api.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { urlOf } from "../signed-in.js";

/** The one tool that `exec` declares. The analyser reads what stands in `command`, as a shell would. */
const TOOL = {
  name: "shell.command",
  app: "shell",
  title: "Run a shell command",
  effect: "write",
  riskTier: "R2",
  confirm: true,
  timeout: 3_600_000,
  inputSchema: {
    type: "object",
    properties: {
      command: { type: "string", format: "shell", title: "Command" },
      folder: { type: "string", title: "Folder" },
    },
    required: ["command", "folder"],
    additionalProperties: false,
  },
} as const;

const WAIT = 30;

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
        const variable = options["keyVariable"] ?? "COUNTERSIGN_KEY";
        const key = console.process.env[variable];
        if (key === undefined || key === "") {
          throw new CountersignError(
            "invalid_request",
            `Set ${variable} to an agent's key with the scope shell.command: countersign keys create NAME --scope shell.command`,
          );
        }
        const gate = new Remote(new Api(urlOf(console, options), { token: key }), options["session"]);
        await gate.declare();
        const command = words.length === 1 ? (words[0] ?? "") : words.map(quoted).join(" ");
        const deadline = options["timeout"] === undefined ? Infinity : Date.now() + Number(options["timeout"]) * 1_000;
        const told = await gate.ask({ command, folder: process.cwd() }, deadline, (outcome) =>
          console.say(outcome.message),
        );
        if (told.type !== "pending" || told.token === undefined) return end(console, told);
        const { args, claimId, approvalId } = await gate.claim(told.token);
        const code = await shell(String(args["command"]), String(args["folder"]));
        await gate.finish({ approvalId, claimId, ...receiptOf(code) });
        return code;
      }),
    );
}

/** The agent's side of the wire, for this one tool. */
class Remote {
  readonly #api: Api;
  readonly #session: { readonly sessionId?: string };

  constructor(api: Api, session: string | undefined) {
    this.#api = api;
    this.#session = session === undefined ? {} : { sessionId: session };
  }

  async declare(): Promise<void> {
    await this.#api.post("/v1/tools", { tools: [TOOL] });
  }

  /** Asks, and waits until it is decided, or until the deadline. */
  async ask(args: JsonObject, deadline: number, waiting: (outcome: Outcome) => void): Promise<Outcome> {
    let told = await this.#api.post<Outcome>("/v1/calls", { tool: TOOL.name, args, ...this.#session });
    if (told.type === "pending") waiting(told);
    const query =
      this.#session.sessionId === undefined ? "" : `&sessionId=${encodeURIComponent(this.#session.sessionId)}`;
    while (told.type === "pending" && told.token === undefined && Date.now() < deadline) {
      const { approvalId } = told;
      told = await this.#api.get<Outcome>(`/v1/calls/${approvalId}?wait=${WAIT}${query}`);
    }
    return told;
  }

  claim({ approvalId, tokenId, toolCallHash }: { approvalId: string; tokenId: string; toolCallHash: string }) {
    return this.#api.post<{ approvalId: string; claimId: string; args: JsonObject }>("/v1/tokens/claim", {
      approvalId,
      tokenId,
      toolCallHash,
      ...this.#session,
    });
  }

  async finish(receipt: object): Promise<void> {
    // The command has run: its report is worth a few tries.
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#api.post("/v1/tokens/finish", { ...receipt, ...this.#session });
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "unreachable" || attempt === 5) throw error;
        await new Promise((resolve) => setTimeout(resolve, attempt * 500));
      }
    }
  }
}

function receiptOf(code: number) {
  return code === 0
    ? { type: "succeeded" as const, result: { exitCode: 0 } }
    : { type: "failed" as const, error: `exit code ${code}` };
}

function end(console: Console, told: Outcome): number {
  console.answer(told, () => told.message);
  switch (told.type) {
    case "denied":
      return EXIT.denied;
    case "expired":
      return EXIT.expired;
    case "pending":
      return EXIT.pending;
    case "unknown":
      return EXIT.unknown;
    default:
      return EXIT.failed;
  }
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
