import { type Analysis, type Finding, highestTier } from "../../core/risk.js";
import { hiddenCharacters } from "./characters.js";
import { parseCommands } from "./parse-commands.js";
import { rateCommand } from "./rate.js";

/**
 * Says how dangerous a shell text is, without running any of it. The worst command in it decides. Never throws, and
 * whatever it cannot read is R4 and not inspectable.
 */
export async function analyseShell(text: string): Promise<Analysis> {
  const parsed = await parseCommands(text);
  const rated = parsed.commands.flatMap(rateCommand);
  const findings = withoutRepeats([...parsed.findings, ...rated, ...hiddenCharacters(text)]);
  return {
    riskTier: highestTier(findings.map((finding) => finding.riskTier)),
    inspectable: findings.every((finding) => finding.code !== "cannot_inspect"),
    findings,
  };
}

// A wrapper repeats the words of what it wraps; one sentence about each is enough. The worst comes first.
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const seen = new Map(findings.map((finding) => [`${finding.text}\0${finding.fragment}`, finding]));
  return [...seen.values()].sort((a, b) => b.riskTier.localeCompare(a.riskTier));
}
