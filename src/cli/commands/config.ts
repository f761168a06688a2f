import type { Command } from "commander";
import { loadConfig } from "../../config/load.js";
import { type ConfigKey, SETTINGS } from "../../config/schema.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";

/** Adds a flag for each setting; `settingsOf` reads them back. */
export function withSettings(command: Command): Command {
  for (const { flag, help, fallback } of Object.values(SETTINGS)) {
    command.option(`--${flag} <value>`, fallback === undefined || fallback === "" ? help : `${help} (${fallback})`);
  }
  return command.option("--config <file>", "configuration file (countersign.config.yaml in the data folder)");
}

export function settingsOf(options: Record<string, string | undefined>): {
  readonly flags: Record<string, string>;
  readonly file?: string;
} {
  const flags = Object.keys(SETTINGS).flatMap((key) => {
    const value = options[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  const { config } = options;
  return { flags: Object.fromEntries(flags), ...(config === undefined ? {} : { file: config }) };
}

export function configCommands({ program, run }: Frame): void {
  const config = program.command("config").description("look at the configuration");
  withSettings(config.command("check"))
    .description("load the configuration as `serve` would, and say what holds and where it comes from")
    .action(
      run(async (console, options) => {
        const loaded = loadConfig({ environment: console.process.env, ...settingsOf(options) });
        const keys = Object.keys(SETTINGS) as ConfigKey[];
        const values = Object.fromEntries(Object.entries(loaded.config).map(([key, value]) => [key, masked(value)]));
        console.answer({ ...loaded, config: values }, () => [
          loaded.file === undefined ? "no configuration file" : loaded.file,
          ...keys.map((key) => `${key.padEnd(16)} ${shown(loaded.config[key])}  (${loaded.origins[key]})`),
        ]);
        return EXIT.ok;
      }),
    );
}

/** Addresses of databases hold passwords, which neither people nor programs need to see here. */
function masked(value: unknown): unknown {
  if (typeof value !== "string") return value;
  // Up to the last @: a password may hold one that nobody escaped. Some drivers take it as a parameter.
  return value.replace(/(:\/\/[^:/@]*):.*@/, "$1:•••@").replace(/([?&]password=)[^&]*/gi, "$1•••");
}

function shown(value: unknown): string {
  if (value === undefined) return "–";
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.join(", ");
  return String(masked(value));
}
