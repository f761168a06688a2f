export { type ContentAnalyserOptions, contentAnalyser } from "./content.js";
export { analysePath, type PathAnalysis, type PathScope } from "./path.js";
export {
  analyseShell,
  type ParsedCommands,
  parseCommands,
  type ShellAssignment,
  type ShellCommand,
  type ShellRedirect,
  type ShellWord,
} from "./shell/index.js";
export { analyseSql, describeSql, type SqlDescription, type SqlDialect, type SqlStatement } from "./sql/index.js";
export { analyseUrl, type UrlAnalysis, type UrlScope } from "./url.js";
export type { ContentFormat } from "./values.js";
