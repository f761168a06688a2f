import type { Caller } from "../call.js";
import type { Classification } from "../classify.js";
import type { JsonObject } from "../json.js";
import type { Opinion } from "../judge.js";
import { atLeast, type RiskTier } from "../risk.js";
import type { AnyTool } from "../tool.js";
import { amountOf, type Counts, counterKey } from "./budgets.js";

/** `always` beats grants and modes; `off` asks for nothing below R4; `default` leaves it to the tool. */
export type ConfirmSetting = "always" | "on" | "off" | "default";

export interface ToolSettings {
  readonly confirm?: ConfirmSetting;
  /** Writes stated with less confidence ask. */
  readonly confidenceThreshold?: number;
  /** Milliseconds to decide. */
  readonly ttl?: number;
}

/** Calls run unasked up to the ceiling, until the given time and while the budget lasts. */
export interface AutonomousMode {
  readonly since: number;
  readonly until: number;
  readonly ceiling: RiskTier;
  readonly budget?: { readonly calls?: number; readonly cost?: number };
}

/** One person's settings in one workspace. */
export interface Settings {
  readonly workspaceId: string;
  readonly userId: string;
  readonly autonomous?: AutonomousMode;
  readonly tools: Readonly<Record<string, ToolSettings>>;
  readonly apps: Readonly<Record<string, Exclude<ConfirmSetting, "always">>>;
  /** Off lets everything below R4 run unasked. */
  readonly requireConfirmation: boolean;
  /** Asks for every write that comes through an API, whatever else would spare it. */
  readonly confirmAllApi: boolean;
  /** Milliseconds to decide while nobody who may answer is connected. */
  readonly offlineTtl?: number;
}

export function defaultSettings(workspaceId: string, userId: string): Settings {
  return { workspaceId, userId, tools: {}, apps: {}, requireConfirmation: true, confirmAllApi: false };
}

/** Tool names come from models and people: only own keys are settings. */
export function toolSettings(settings: Settings | undefined, tool: string): ToolSettings {
  return settings !== undefined && Object.hasOwn(settings.tools, tool) ? (settings.tools[tool] ?? {}) : {};
}

export interface SettingsQuestion {
  readonly tool: AnyTool;
  readonly args: JsonObject;
  readonly classification: Classification;
  readonly caller: Caller;
  readonly now: number;
}

/** What the person for whom the call is made has set, each at its own step. */
export function settingsOpinions(settings: Settings | undefined, question: SettingsQuestion): Opinion[] {
  if (settings === undefined) return [];
  const { tool, classification, caller } = question;
  const { confirm } = toolSettings(settings, tool.name);
  const app = Object.hasOwn(settings.apps, tool.app) ? settings.apps[tool.app] : undefined;
  const spares = !foundOutside(classification);
  const opinions: (Opinion | undefined)[] = [
    confirm === "always" ? said("confirm", "always_confirm", `tool:${tool.name}`) : undefined,
    settings.confirmAllApi && isApi(caller) && isAction(classification)
      ? said("confirm", "always_confirm", "confirm_all_api")
      : undefined,
    autonomousOpinion(settings, question),
    settings.requireConfirmation || classification.riskTier === "R4"
      ? undefined
      : said("allow", "mode", "require_confirmation"),
    confirm === "on" ? said("confirm", "tool_setting", `tool:${tool.name}`) : undefined,
    confirm === "off" && spares ? said("allow", "tool_setting", `tool:${tool.name}`) : undefined,
    app === "on" ? said("confirm", "app_setting", `app:${tool.app}`) : undefined,
    app === "off" && spares ? said("allow", "app_setting", `app:${tool.app}`) : undefined,
  ];
  return opinions.filter((opinion) => opinion !== undefined);
}

function said(type: Opinion["type"], step: Opinion["step"], what: string): Opinion {
  return { type, step, rules: [`setting:${what}`] };
}

/** "Do not ask for this tool" was said of its usual work, not of a call that left its scope or passed a threshold. */
function foundOutside({ reasons }: Classification): boolean {
  return reasons.some(
    ({ source, riskTier }) => (source === "scope" || source === "threshold") && atLeast(riskTier, "R3"),
  );
}

/** Doors at which a person stands. Any other one counts as an API. */
const PEOPLES_SURFACES: readonly (string | undefined)[] = [undefined, "library", "chat", "inbox", "cli"];

function isApi({ surface }: Caller): boolean {
  return !PEOPLES_SURFACES.includes(surface);
}

function isAction({ effect, riskTier }: Classification): boolean {
  return effect === "write" || atLeast(riskTier, "R3");
}

function autonomousOpinion(settings: Settings, question: SettingsQuestion): Opinion | undefined {
  const { autonomous } = settings;
  const { classification, now } = question;
  if (autonomous === undefined || now >= autonomous.until) return undefined;
  if (classification.riskTier === "R4" || !atLeast(autonomous.ceiling, classification.riskTier)) return undefined;
  const counts = autonomousCounts(settings, autonomous, question);
  return {
    ...said("allow", "mode", "autonomous"),
    until: autonomous.until,
    ...(counts.length === 0 ? {} : { counts }),
  };
}

function autonomousCounts(settings: Settings, mode: AutonomousMode, { tool, args, caller }: SettingsQuestion): Counts {
  // Without an end: a mode that is prolonged goes on with what is left, however late.
  const { since, budget = {} } = mode;
  const key = (unit: string) => counterKey("mode", settings.workspaceId, settings.userId, since, unit);
  const cost = budget.cost === undefined ? 0 : (amountOf({ tool, args, caller, call: { tool: "" } }, "cost") ?? 0);
  return [
    ...(budget.calls === undefined ? [] : [{ key: key("calls"), add: 1, max: budget.calls }]),
    ...(budget.cost === undefined || cost === 0
      ? []
      : [{ key: key("cost"), add: Math.ceil(cost * 1_000), max: Math.floor(budget.cost * 1_000) }]),
  ];
}
