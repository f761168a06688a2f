import { wantsColour } from "../core/text/terminal.js";
import type { Locale } from "../core/tool.js";

/** What a command may touch of the process: everything else is an argument. */
export type Process = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env" | "on" | "off" | "exit">;

/** How a command ends. Scripts rely on these numbers. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  expired: 4,
  pending: 5,
  notSignedIn: 6,
  unreachable: 7,
  /** The outcome of a started call is not known: look before you do anything again. */
  unknown: 8,
  interrupted: 130,
} as const;

/** Where a command speaks. People read lines; with `--json` programs read one value on standard output. */
export class Console {
  readonly process: Process;
  readonly json: boolean;
  readonly locale: Locale;

  constructor(process: Process, options: { readonly json?: boolean; readonly locale?: Locale } = {}) {
    this.process = process;
    this.json = options.json ?? false;
    this.locale = options.locale ?? localeOf(process.env);
  }

  get isTTY(): boolean {
    return this.process.stdin.isTTY === true && this.process.stdout.isTTY === true;
  }

  get colour(): boolean {
    return wantsColour({ isTTY: this.process.stdout.isTTY === true, env: this.process.env });
  }

  get width(): number {
    return this.process.stdout.columns ?? 80;
  }

  get height(): number {
    return this.process.stdout.rows ?? 24;
  }

  /** The command's answer: the value as JSON, or its lines. */
  answer(value: unknown, lines: () => readonly string[] | string): void {
    if (this.json) this.process.stdout.write(`${JSON.stringify(value)}\n`);
    else for (const line of [lines()].flat()) this.process.stdout.write(`${line}\n`);
  }

  /** Beside the answer: progress and advice, never on standard output. */
  say(line: string): void {
    this.process.stderr.write(`${line}\n`);
  }
}

function localeOf(env: NodeJS.ProcessEnv): Locale {
  const language = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  return language.toLowerCase().startsWith("zh") ? "zh" : "en";
}
