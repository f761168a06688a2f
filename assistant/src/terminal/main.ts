import { parseArgs } from "node:util";
import { escapeText, type Locale } from "countersign";
import { homeFolder, openHome } from "../home.js";
import { newId } from "../household/household.js";
import { told } from "../told.js";
import { pipedLines, terminalLines } from "./lines.js";
import { talk } from "./talk.js";
import { TERMINAL_WORDS } from "./words.js";

type Process = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env">;

/** The chat in a terminal, with a gate and a household of its own. Gives the exit code. */
export function main(argv: readonly string[], process: Process): Promise<number> {
  return told(process.stderr, () => run(argv, process));
}

async function run(argv: readonly string[], { stdin, stdout, stderr, env }: Process): Promise<number> {
  const { data, lang, help, problem } = read(argv);
  const locale: Locale = lang === "zh" ? "zh" : "en";
  const words = TERMINAL_WORDS[locale];
  if (problem !== undefined) {
    stderr.write(`${words.unknownOption(escapeText(problem))}\n`);
    return 2;
  }
  if (help) {
    stdout.write(`${words.help.join("\n")}\n`);
    return 0;
  }
  const { gate, assistant } = openHome({ folder: data ?? homeFolder(env), locale, env });
  const { userId, workspaceId } = gate.caller;
  const isTTY = stdin.isTTY === true && stdout.isTTY === true;
  try {
    await talk({
      assistant,
      person: { kind: "person", userId, workspaceId },
      conversationId: newId("terminal"),
      locale,
      next: isTTY ? terminalLines(stdin, stdout) : pipedLines(stdin),
      input: stdin,
      output: stdout,
      isTTY,
      width: stdout.columns ?? 80,
      colour: isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb",
    });
    return 0;
  } finally {
    await assistant.close();
    await gate.close();
  }
}

interface Read {
  readonly data?: string;
  readonly lang?: string;
  readonly help: boolean;
  readonly problem?: string;
}

function read(argv: readonly string[]): Read {
  try {
    const options = { data: { type: "string" }, lang: { type: "string" }, help: { type: "boolean" } } as const;
    const { values } = parseArgs({ args: [...argv], options });
    const { data, lang, help = false } = values;
    const known = { help, ...(data === undefined ? {} : { data }), ...(lang === undefined ? {} : { lang }) };
    return lang === undefined || lang === "en" || lang === "zh" ? known : { ...known, problem: `--lang ${lang}` };
  } catch (error) {
    return { help: false, problem: (error as Error).message.split(".")[0] ?? "" };
  }
}
