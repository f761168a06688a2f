import type { Declaration } from "../options.js";

const looks: Declaration = { effect: "read", riskTier: "R0" };
const writes: Declaration = { riskTier: "R2" };
/** Other people, other machines, or later, when nobody looks. */
const reaches: Declaration = { riskTier: "R3" };

/**
 * What Claude Code's own tools do. Whatever is not named here, tools of MCP servers among it, reaches who knows how far and asks.
 * Commands are looked into by the shell analyser, where the gate has one, which can only raise them.
 */
export const BUILTIN_TOOLS: Readonly<Record<string, Declaration>> = {
  Read: looks,
  Glob: looks,
  Grep: looks,
  LS: looks,
  NotebookRead: looks,
  BashOutput: looks,
  TaskOutput: looks,
  LSP: looks,
  ToolSearch: looks,
  // The agent's own lists, plans and questions; nobody else sees them.
  TodoWrite: looks,
  TaskCreate: looks,
  TaskGet: looks,
  TaskList: looks,
  TaskUpdate: looks,
  CronList: looks,
  ListAgents: looks,
  EnterPlanMode: looks,
  AskUserQuestion: looks,
  // A subagent's own calls are asked about one by one.
  Task: looks,
  Agent: looks,
  Skill: looks,
  ListMcpResourcesTool: looks,
  ReadMcpResourceTool: { effect: "read", riskTier: "R2" },
  ReadMcpResourceDirTool: { effect: "read", riskTier: "R2" },
  WebSearch: { effect: "read", riskTier: "R2" },
  // An address can carry out what was read before.
  WebFetch: { effect: "read", tags: ["external"], confirmPrompt: { en: "Fetch {url}?", zh: "读取 {url}？" } },
  Edit: { ...writes, confirmPrompt: { en: "Edit {file_path}?", zh: "修改 {file_path}？" } },
  MultiEdit: { ...writes, confirmPrompt: { en: "Edit {file_path}?", zh: "修改 {file_path}？" } },
  Write: { ...writes, confirmPrompt: { en: "Write {file_path}?", zh: "写入 {file_path}？" } },
  NotebookEdit: { ...writes, confirmPrompt: { en: "Edit {notebook_path}?", zh: "修改 {notebook_path}？" } },
  Bash: { ...writes, confirmPrompt: { en: "Run {command}?", zh: "运行 {command}？" } },
  KillShell: writes,
  TaskStop: writes,
  EnterWorktree: writes,
  ExitWorktree: writes,
  PowerShell: reaches,
  Monitor: reaches,
  CronCreate: reaches,
  CronDelete: reaches,
  ScheduleWakeup: reaches,
  RemoteTrigger: reaches,
  SendMessage: reaches,
  SendUserMessage: reaches,
  SendUserFile: reaches,
  PushNotification: reaches,
  Artifact: reaches,
  Workflow: reaches,
  // Leaving the plan is a person's decision.
  ExitPlanMode: { riskTier: "R2", confirm: true },
};
