export { checkPolicy, formatCheck, type PolicyCheck } from "./check.js";
export type {
  Approvers,
  Budget,
  Defaults,
  Duration,
  PolicyDefinition,
  Rule,
  RuleEffect,
  StepUp,
  Thresholds,
} from "./definition.js";
export { type Explanation, explain, formatExplanation } from "./explain.js";
export { gatePolicy } from "./gate-policy.js";
export { loadPolicy, type PolicyEvent, type WatchedPolicy, watchPolicy } from "./load.js";
export { definePolicy, type Look, type Policy, parsePolicy } from "./policy.js";
export { formatProblem, PolicyError, type Problem } from "./problem.js";
export { formatReplay, type RecordedCall, type Replay, type ReplayedCall, replay } from "./replay.js";
export { policyAnalyser, policySource } from "./source.js";
export { formatPolicyTest, type PolicyTestResult, testPolicy } from "./test-policy.js";
export { definePolicyTest, loadPolicyTest, type PolicyTable, type PolicyTest, parsePolicyTest } from "./test-table.js";
export type { TriedCall } from "./trial.js";
