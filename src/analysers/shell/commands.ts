import { READERS } from "./commands-readers.js";
import { TOOLS } from "./commands-tools.js";
import { WRITERS } from "./commands-writers.js";
import { INTERPRETER_RULES } from "./interpreters.js";
import type { CommandRule } from "./rule.js";
import { WRAPPER_RULES } from "./wrappers.js";

const RULES: Readonly<Record<string, CommandRule>> = {
  ...WRITERS,
  ...TOOLS,
  ...WRAPPER_RULES,
  ...INTERPRETER_RULES,
  ...READERS,
};

// Where systems keep their own programs. A name found elsewhere may be anybody's.
const SYSTEM_DIRECTORIES = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/;

export interface NamedCommand {
  /** The name the tables know: `/usr/bin/rm`, `RM` and `python3.12` are `rm`, `rm` and `python`. */
  readonly name: string;
  readonly rule: CommandRule | undefined;
  /** False when the name may stand for another program: a path of its own, or other capitals. */
  readonly certain: boolean;
}

export function nameCommand(written: string): NamedCommand {
  const base = written.slice(written.lastIndexOf("/") + 1);
  const certain = !written.includes("/") || SYSTEM_DIRECTORIES.test(written);
  const name = canonicalName(base);
  // The name comes from outside: "constructor" must not resolve.
  if (Object.hasOwn(RULES, name)) return { name, rule: RULES[name], certain };
  const lower = canonicalName(base.toLowerCase());
  // macOS and Windows find `rm` under the name `RM` as well.
  if (Object.hasOwn(RULES, lower)) return { name: lower, rule: RULES[lower], certain: false };
  return { name: base, rule: undefined, certain };
}

function canonicalName(base: string): string {
  if (/^mkfs(\.|$)/.test(base)) return "mkfs";
  if (base.endsWith(".exe")) return canonicalName(base.slice(0, -4));
  const versioned = /^(python|pip|ruby|perl|php|lua|node|gcc|g\+\+|clang|pypy|gem)-?\d[\d.]*$/.exec(base);
  return versioned?.[1] ?? base;
}
