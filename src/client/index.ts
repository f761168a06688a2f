export type { Answer, ApprovalPage } from "./approvals.js";
export type { RunOptions, SentCall } from "./calls.js";
export { type Client, type ClientOptions, createClient } from "./client.js";
export { type ConfirmedFirst, type ConfirmFirst, confirmFirst } from "./confirm-first.js";
export type { DeviceProver } from "./device-tokens.js";
export { ClientError } from "./errors.js";
export type { EventsOptions } from "./events.js";
export type { ReplyRulesView } from "./replies.js";
export type { OnRetry, Retry } from "./retry.js";
export type { ApprovalView, DecidedView, Problem } from "./wire.js";
export type { AgentView, DeviceView, IssuedKey, KeyView, NewAgent, UsageView } from "./wire-agents.js";
export type { LiveEvent, LiveEvents, SkillNews, SkillQuestion, SkillResult } from "./wire-live.js";
export type {
  GroupView,
  LinkView,
  ListedSession,
  Me,
  MemberView,
  PasskeyView,
  Role,
  SessionView,
} from "./wire-people.js";
export type {
  AuditEntry,
  AuditPage,
  ChainHead,
  HistoryPage,
  PrivacyView,
  Timeline,
  WorkspaceView,
} from "./wire-records.js";
export type { GrantSuggestion, GrantView, SettingsChange, SettingsView, ToolView } from "./wire-standing.js";
