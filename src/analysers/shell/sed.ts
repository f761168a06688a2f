import type { Effect } from "./effects.js";
import type { Inspection } from "./rule.js";

const FLAGS = /^-[nErsuz]+$|^--(quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug|sandbox)$/;
// Reading brackets may look ahead to the end each time; a bound keeps hostile scripts cheap.
const LONGEST_SCRIPT = 10_000;
const SIMPLE = /[pPdDqQ=nNgGhHxlFz]/;

/** sed is a language with commands that write files and run programs; only scripts read to their end count as looking. */
export const inspectSed: Inspection = (args) => {
  const scripts: string[] = [];
  let inPlace = false;
  let firstOperand: string | undefined;
  for (let index = 0; index < args.length; index++) {
    const { value } = args[index] as (typeof args)[number];
    if (value === undefined) {
      // Without a script so far, this unknown word is the script.
      if (scripts.length === 0 && firstOperand === undefined) return "cannot_inspect";
    } else if (/^-[nErsuz]*i|^--in-place/.test(value)) inPlace = true;
    else if (/^-[nErsuz]*e$|^--expression$/.test(value)) {
      const script = args[++index]?.value;
      if (script === undefined) return "cannot_inspect";
      scripts.push(script);
    } else if (/^-e./.test(value)) scripts.push(value.slice(2));
    else if (value.startsWith("--expression=")) scripts.push(value.slice("--expression=".length));
    else if (/^-./.test(value) && !FLAGS.test(value)) return "runs_code";
    else if (!value.startsWith("-")) firstOperand ??= value;
  }
  if (scripts.length === 0) scripts.push(firstOperand ?? "");
  const effect = scriptEffect(scripts.join("\n"));
  return effect === "looks" && inPlace ? "writes_files" : effect;
};

/** Reads a script command by command. Whatever is not understood counts as code. */
function scriptEffect(script: string): Effect {
  if (script.length > LONGEST_SCRIPT) return "cannot_inspect";
  const reader = new ScriptReader(script);
  while (!reader.atEnd()) {
    if (reader.skip(/[\s;{}]/y)) continue;
    reader.address();
    reader.skip(/\s*/y);
    if (reader.skip(/,\s*/y)) reader.address();
    reader.skip(/[\s!]*/y);
    const command = reader.next();
    if (command === "{") continue;
    if (command === "w" || command === "W") return "writes_unknown";
    if (command === "s" || command === "y") {
      reader.delimited(2, command === "s");
      if (command === "s") reader.skip(/[gpiImM\d]*/y);
      if (reader.skip(/w/y)) return "writes_unknown";
    } else if (/[aic]/.test(command)) {
      if (reader.skip(/[^\n]*\\(\n|$)/y)) return "cannot_inspect";
      reader.skip(/[^\n]*/y);
    } else if (/[btT:]/.test(command)) reader.skip(/[ \t]*[\w.-]*/y);
    else if (/[qQl]/.test(command)) reader.skip(/\s*\d*/y);
    else if (command === "#") reader.skip(/[^\n]*/y);
    else if (!SIMPLE.test(command)) return "cannot_inspect";
    if (reader.confused || !reader.atCommandEnd()) return "cannot_inspect";
  }
  return "looks";
}

class ScriptReader {
  confused = false;
  #position = 0;

  constructor(readonly script: string) {}

  atEnd(): boolean {
    return this.#position >= this.script.length;
  }

  atCommandEnd(): boolean {
    return /^[ \t]*([;}\n#]|$)/.test(this.script.slice(this.#position));
  }

  next(): string {
    return this.script[this.#position++] ?? "";
  }

  skip(sticky: RegExp): boolean {
    sticky.lastIndex = this.#position;
    const found = sticky.exec(this.script)?.[0] ?? "";
    this.#position += found.length;
    return found !== "";
  }

  address(): void {
    if (this.skip(/\d+(~\d+)?|\$|[+~]\d+/y)) return;
    if (this.script[this.#position] === "\\") this.#position++;
    else if (this.script[this.#position] !== "/") return;
    this.delimited(1);
    this.skip(/[IM]*/y);
  }

  /** Moves past fields that end in the delimiter standing here. The first one may be a pattern. */
  delimited(fields: number, pattern = true): void {
    const delimiter = this.next();
    if (!/[^\s\\[\w]/.test(delimiter)) this.confused = true;
    for (let field = 0; field < fields; field++) {
      while (!this.atEnd() && this.script[this.#position] !== delimiter) {
        if (pattern && field === 0 && this.script[this.#position] === "[") this.#bracket(delimiter);
        else this.#position += this.script[this.#position] === "\\" ? 2 : 1;
      }
      if (this.atEnd()) this.confused = true;
      this.#position++;
    }
  }

  // Inside [...] most versions of sed take the delimiter for a plain character, some do not. Only a script without any
  // letter that could then become a dangerous command means the same to all of them.
  #bracket(delimiter: string): void {
    const start = this.#position;
    if (!this.skip(/\[\^?\]?(\[[:.=][^\]]*[:.=]\]|[^\]])*\]/y)) this.#position++;
    if (this.script.slice(start, this.#position).includes(delimiter) && /[ewW]/.test(this.script)) this.confused = true;
  }
}
