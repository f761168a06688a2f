import type { Finding } from "../../core/risk.js";
import { sentenceFinding } from "./effects.js";
import { loadParser, type Parser } from "./parser.js";
import type { ShellCommand } from "./types.js";
import { type Walk, walkScript } from "./walk.js";

const LONGEST_TEXT = 1024 * 1024;

export interface ParsedCommands {
  /** Every simple command anywhere in the text. Only complete when `inspectable` is true. */
  readonly commands: readonly ShellCommand[];
  /** False when any part could not be read; then no rule may allow the text. */
  readonly inspectable: boolean;
  /** Why not, and what was noticed on the way. */
  readonly findings: readonly Finding[];
}

/** Takes a shell text apart without running anything. Never throws: what cannot be read comes back as not inspectable. */
export async function parseCommands(text: string): Promise<ParsedCommands> {
  const parser = await loadParser();
  if (!parser) {
    return unreadable('The shell analyser needs the "unbash" package. Install it: npm i unbash');
  }
  try {
    return read(parser, text);
  } catch {
    return unreadable("The text is nested too deeply or is not valid shell.");
  }
}

function read(parser: Parser, text: string): ParsedCommands {
  if (text.length > LONGEST_TEXT) return unreadable("The text is longer than 1 MiB.");
  // Shells drop this character silently, so the text that runs is not the text that was read.
  if (text.includes("\0")) return unreadable("The text contains a NUL character.");
  const walk: Walk = { parser, commands: [], findings: [], problems: [], functions: new Set() };
  walkScript(walk, text);
  return {
    commands: walk.commands,
    inspectable: walk.problems.length === 0,
    findings: [...walk.problems, ...walk.findings],
  };
}

function unreadable(sentence: string): ParsedCommands {
  return { commands: [], inspectable: false, findings: [sentenceFinding("cannot_inspect", sentence)] };
}
