import { parseArgs } from "node:util";
import { escapeText } from "../core/text/escape.js";
import { wantsColour } from "../core/text/terminal.js";
import type { Locale } from "../core/tool.js";
import { play } from "./play.js";
import { DEMO_WORDS } from "./words.js";

type Process = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env">;

/** Reads the options and plays; gives the exit code. */
export async function main(argv: readonly string[], { stdin, stdout, stderr, env }: Process): Promise<number> {
  const { values, problem } = read(argv);
  const locale: Locale = values.lang === "zh" ? "zh" : "en";
  const words = DEMO_WORDS[locale];
  if (problem !== undefined) {
    stderr.write(`${words.unknownOption(escapeText(problem))}\n`);
    return 2;
  }
  if (values.help) {
    stdout.write(`${words.help.join("\n")}\n`);
    return 0;
  }
  const isTTY = stdin.isTTY === true && stdout.isTTY === true;
  const colour = wantsColour({ isTTY: stdout.isTTY === true, env });
  const stage = { input: stdin, output: stdout, isTTY, width: stdout.columns ?? 80, colour, locale, json: values.json };
  return play(stage);
}

interface Values {
  readonly help: boolean;
  readonly json: boolean;
  readonly lang: string;
}

function read(argv: readonly string[]): { readonly values: Values; readonly problem?: string } {
  const options = {
    help: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    lang: { type: "string", default: "en" },
  } as const;
  const { values, tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const unknown = tokens.find(
    (token) => token.kind === "positional" || (token.kind === "option" && !(token.name in options)),
  );
  const lang = typeof values.lang === "string" ? values.lang : "";
  const known = { help: values.help === true, json: values.json === true, lang };
  if (unknown !== undefined) {
    return { values: known, problem: unknown.kind === "option" ? unknown.rawName : (argv[unknown.index] ?? "") };
  }
  return lang === "en" || lang === "zh" ? { values: known } : { values: known, problem: `--lang ${lang}` };
}
