export type { Approval, ApprovalState, Assurance, Audience, Person, Resolution } from "./core/approval.js";
export { type ChainPoint, type Verification, verifyChain } from "./core/audit.js";
export type { Caller, ToolCall } from "./core/call.js";
export type {
  ApprovalRequest,
  Card,
  CardAlternative,
  CardArgument,
  CardChange,
  CardEffect,
  CardReason,
} from "./core/card/card.js";
export { inputPreview } from "./core/card/values.js";
export type { Receipt } from "./core/claim.js";
export { type Classification, CONFIDENCE_THRESHOLD, type Signal } from "./core/classify.js";
export {
  type CommandDefinition,
  type CommandError,
  type CommandResult,
  defineCommand,
  failure,
  success,
} from "./core/command.js";
export type { Decision } from "./core/decide.js";
export type { Decided, DecideResult } from "./core/deciding.js";
export type { Analyser, Limits, Source } from "./core/engine.js";
export { CountersignError, ERROR_CODES, type ErrorCode } from "./core/errors.js";
export type { Gate, GateOptions, SubmitOptions } from "./core/gate.js";
export type { GatePolicy } from "./core/gate-policy.js";
export { type Gated, gated } from "./core/gated.js";
export { canonicalize, type Json, type JsonObject } from "./core/json.js";
export { type Opinion, PRECEDENCE, type Requirement, type Verdict } from "./core/judge.js";
export type { Budget, Thresholds } from "./core/judging/budgets.js";
export type { SettingsPatch } from "./core/judging/change-settings.js";
export type { GrantPreview, GrantView } from "./core/judging/granting.js";
export type { DecisionScope } from "./core/judging/grants.js";
export type { Pin } from "./core/judging/pins.js";
export type { Scope } from "./core/judging/scope.js";
export type { AutonomousMode, Settings, ToolSettings } from "./core/judging/settings.js";
export { groupSimilar, type SimilarApprovals } from "./core/judging/similar.js";
export type { Weaken, WeakeningAct } from "./core/judging/standing.js";
export { type LintCode, type LintFinding, lintTools } from "./core/lint.js";
export type { Outcome, OutcomeType } from "./core/outcome.js";
export type { PendingAction, PendingActionInput } from "./core/pending-action.js";
export {
  type ClaimedAction,
  type ConsumeFailure,
  type ConsumeResult,
  createPendingActionStore,
  type PendingActionOptions,
  type PendingActionStore,
} from "./core/pending-actions.js";
export type { Clock, Entry, People, Store } from "./core/ports.js";
export {
  type CommandMetadata,
  createRegistry,
  isDestructiveTool,
  isWriteTool,
  type Registry,
} from "./core/registry.js";
export type { Claim } from "./core/remote.js";
export { type Analysis, type Finding, RISK_TIERS, type RiskTier } from "./core/risk.js";
export { parseStrictJson } from "./core/strict-json.js";
export { escapeText } from "./core/text/escape.js";
export type { TextNotice } from "./core/text/inspect.js";
export type { Shown } from "./core/text/shown.js";
export type { ShownBranch, ShownLeaf, ShownValue } from "./core/text/value.js";
export type { ApprovalToken } from "./core/token.js";
export {
  type AnyTool,
  defineTool,
  type Locale,
  type LocalText,
  type Preview,
  type PreviewContext,
  type Tool,
  type ToolDefinition,
  type Warning,
} from "./core/tool.js";
export type { WaitOptions } from "./core/wait.js";
export { createGate } from "./create-gate.js";
export { memoryStore } from "./stores/memory.js";
