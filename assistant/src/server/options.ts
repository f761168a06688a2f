import { parseArgs } from "node:util";

export interface StartOptions {
  readonly port?: number;
  readonly data?: string;
  readonly lang?: "en" | "zh";
  readonly demo: boolean;
  readonly open: boolean;
  readonly help: boolean;
}

const OPTIONS = {
  port: { type: "string" },
  data: { type: "string" },
  lang: { type: "string" },
  "no-demo": { type: "boolean", default: false },
  "no-open": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** The options, or the words that were not understood. */
export function readOptions(argv: readonly string[]): StartOptions | { readonly problem: string } {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS });
    const { port, data, lang, help } = values;
    if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536)) return { problem: `--port ${port}` };
    if (lang !== undefined && lang !== "en" && lang !== "zh") return { problem: `--lang ${lang}` };
    return {
      ...(port === undefined ? {} : { port: Number(port) }),
      ...(data === undefined ? {} : { data }),
      ...(lang === undefined ? {} : { lang }),
      demo: !values["no-demo"],
      open: !values["no-open"],
      help,
    };
  } catch (error) {
    return { problem: (error as Error).message.split(".")[0] ?? "" };
  }
}
