import type { Json } from "../core/json.js";
import type { SettingsPatch } from "../core/judging/change-settings.js";
import type { GrantView as Grant, GrantPreview } from "../core/judging/granting.js";
import type { DecisionScope } from "../core/judging/grants.js";
import type { AutonomousMode, Settings } from "../core/judging/settings.js";
import type { RiskTier } from "../core/risk.js";

/** What runs without asking, and the tools there are, as the server tells them. Times are ISO 8601 texts. */

export type GrantView = Grant & {
  /** What those are called, made safe to draw, where the server knows it. */
  readonly agentName?: string;
  readonly givenByName?: string;
};

export interface GrantSuggestion extends Omit<GrantPreview, "kind" | "text"> {
  readonly scope: DecisionScope;
  /** What it would cover, in words. */
  readonly sentence: string;
  /** How many of the latest calls it would have spared the question. */
  readonly covers: number;
}

/** Autonomous Mode while it is on. */
type ModeView = Omit<AutonomousMode, "since" | "until"> & { readonly since: string; readonly until: string };

export type SettingsView = Omit<Settings, "autonomous"> & { readonly autonomous?: ModeView };

/** What to change; whatever is left out stays, and `null` removes a tool's or an app's settings. */
export type SettingsChange = Omit<SettingsPatch, "autonomous"> & {
  readonly autonomous?: { readonly on: false } | (Omit<ModeView, "since"> & { readonly on: true });
};

export interface ToolView {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly version: string;
  readonly app: string;
  readonly effect: "read" | "write";
  readonly destructive: boolean;
  readonly riskTier?: RiskTier;
  readonly tags: readonly string[];
  /** Whether it asks by itself: from the arguments where `depends`, by its tier where absent. */
  readonly confirm?: boolean | "depends";
  /** JSON Schema. */
  readonly inputSchema?: Readonly<Record<string, Json>>;
  readonly can: { readonly dryRun: boolean; readonly preview: boolean; readonly undo: boolean };
  /** Where the gate does not run it itself: the agent that declared it and runs it. */
  readonly agentId?: string;
  readonly hosted: boolean;
  /** What you have set for it. */
  readonly setting?: Settings["tools"][string];
  readonly appSetting?: Settings["apps"][string];
}
