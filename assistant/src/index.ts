export { type Agent, DOMAINS, type Domain, type Plan, type Turn } from "./agents/agent.js";
export type { AppOptions } from "./apps/apps.js";
export { type Assistant, type AssistantOptions, createAssistant } from "./assistant.js";
export {
  type ApprovalOutcome,
  type ChatEvent,
  type ConfirmDialog,
  confirmDialog,
  type ToolCallbacks,
  type ToolMetadata,
} from "./chat/events.js";
export {
  type AgentAction,
  ChatError,
  type ChatRequest,
  type ChatResponse,
  type PendingActionInfo,
} from "./chat/request.js";
export type { CommandCall, CommandOutcome } from "./commands/run-commands.js";
export type { Demo } from "./demo/demo.js";
export type { DemoLine } from "./demo/lines.js";
export { assistantMounts } from "./mounts.js";
export type { Member, Members } from "./people.js";
