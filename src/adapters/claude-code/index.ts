export type { GateLike } from "../gate-like.js";
export type { Declaration } from "../options.js";
export { BUILTIN_TOOLS } from "./builtin-tools.js";
export { type CanUseToolContext, canUseTool, type PermissionResult } from "./can-use-tool.js";
export { answerHook, type HookAnswer, type HookOptions, refuseHook } from "./hooks.js";
export type { CallContext, ClaudeOptions } from "./permission.js";
export { PERMISSION_PROMPT_TOOL, permissionPromptServer } from "./prompt-tool.js";
