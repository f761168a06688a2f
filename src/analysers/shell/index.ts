export { analyseShell } from "./analyse.js";
export { type ParsedCommands, parseCommands } from "./parse-commands.js";
export type { ShellAssignment, ShellCommand, ShellRedirect, ShellWord } from "./types.js";
