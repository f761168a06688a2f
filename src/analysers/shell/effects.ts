import type { Finding, RiskTier } from "../../core/risk.js";

interface EffectMeaning {
  readonly tier: RiskTier;
  /** Completes the sentence `"name" …`. */
  readonly does: string;
}

/**
 * What a command can do to the world, from looking to what cannot be undone. The tables speak in effects, never in tiers,
 * so the ladder is decided here and nowhere else. The names double as finding codes.
 */
const EFFECTS = {
  looks: { tier: "R0", does: "only looks" },
  changes_reversibly: { tier: "R1", does: "makes a small change that is easily undone" },
  changes_directory: { tier: "R1", does: "moves elsewhere, so that later relative names mean other files" },
  writes_files: { tier: "R2", does: "writes or overwrites files" },
  shows_environment: { tier: "R2", does: "shows settings that may hold secrets" },
  reads_remote: { tier: "R2", does: "reads from a remote service with stored credentials" },
  reads_unknown: { tier: "R2", does: "reads something that is known only when it runs" },
  uses_network: { tier: "R3", does: "talks to the network, so data can leave this machine" },
  runs_code: { tier: "R3", does: "runs code that is not visible in the command" },
  changes_rights: { tier: "R3", does: "changes rights or acts with those of somebody else" },
  installs_software: { tier: "R3", does: "installs, removes or updates software" },
  changes_system: { tier: "R3", does: "changes running processes, services or system settings" },
  changes_environment: { tier: "R3", does: "changes what later commands do" },
  reads_secret: { tier: "R3", does: "reads keys, passwords or other secrets" },
  writes_sensitive: { tier: "R3", does: "writes where programs, settings or accounts live" },
  writes_unknown: { tier: "R3", does: "writes to a place that is not visible or known only when it runs" },
  unknown_command: { tier: "R3", does: "is not a known command, so its effect cannot be predicted" },
  hidden_characters: { tier: "R3", does: "contains characters that hide or reorder what a person sees" },
  destroys: { tier: "R4", does: "deletes or overwrites data, or stops the system, for good" },
  targets_unknown: { tier: "R4", does: "acts for good on something that is known only when it runs" },
  cannot_inspect: { tier: "R4", does: "runs something that cannot be read beforehand" },
} as const satisfies Record<string, EffectMeaning>;

export type Effect = keyof typeof EFFECTS;

export function effectFinding(effect: Effect, subject: string, fragment: string): Finding {
  return sentenceFinding(effect, `"${short(subject)}" ${EFFECTS[effect].does}.`, fragment);
}

export function sentenceFinding(effect: Effect, text: string, fragment?: string): Finding {
  const finding = { code: effect, riskTier: EFFECTS[effect].tier, text };
  return fragment === undefined ? finding : { ...finding, fragment };
}

// A sentence stays a sentence: the fragment beside it carries the whole text.
function short(subject: string): string {
  return subject.length <= 60 ? subject : `${subject.slice(0, 57)}...`;
}
