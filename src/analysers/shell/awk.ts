import type { Inspection } from "./rule.js";

// Patterns below look ahead from every `print`; a bound keeps hostile programs from costing minutes.
const LONGEST_PROGRAM = 10_000;

/**
 * awk is a language: a program only looks when it neither starts commands, nor reads or writes through its own
 * redirections, nor loads more code. Judged on the raw text, strings and all, so a disguise can only raise the result.
 */
export const inspectAwk: Inspection = (args) => {
  let index = 0;
  for (; index < args.length; index++) {
    const { value } = args[index] as (typeof args)[number];
    if (value === undefined) return "cannot_inspect";
    if (value === "--") {
      index++;
      break;
    }
    if (!value.startsWith("-") || value === "-") break;
    // Field separators and variables are data; every other option may load, profile or dump something.
    if (value === "-F" || value === "-v") index++;
    else if (!/^-[Fv]/.test(value)) return "runs_code";
  }
  const program = args[index]?.value;
  if (program === undefined || program.length > LONGEST_PROGRAM) return "cannot_inspect";
  if (/system|getline|@|\\[0-7x]/.test(program) || /print[\s\S]*(?<!\|)\|(?!\|)/.test(program)) return "cannot_inspect";
  if (/print[\s\S]*>/.test(program)) return "writes_unknown";
  return /ENVIRON/.test(program) ? "shows_environment" : "looks";
};
