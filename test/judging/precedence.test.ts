import { describe, expect, it } from "vitest";
import type { Analyser, Gate, Opinion, RiskTier, Source } from "../../src/index.js";
import { PRECEDENCE } from "../../src/index.js";
import { ANN, newGate, pendingId, recorded, submit, verdictOf } from "./support.js";

type Verdict = "ran" | "pending" | "denied";

/** What makes one source speak, and what it says of a call of `notes.add`. */
interface Speaker {
  readonly says: Verdict;
  readonly step: Opinion["step"];
  readonly tool?: { readonly confirm: boolean };
  readonly raise?: RiskTier;
  readonly opinion?: Opinion;
  readonly before?: (gate: Gate) => Promise<unknown>;
}

const rule = (type: Opinion["type"], step: Opinion["step"]): Opinion => ({ type, step, rules: ["rule"] });
const setting = (patch: object) => (gate: Gate) => gate.updateSettings(patch, ANN);
const HOUR = 3_600_000;

/** Every source, in the order of the precedence. `raise` stands for the tier floor and the tier default. */
const SPEAKERS: Readonly<Record<string, Speaker>> = {
  "a pause": { step: "deny_rule", says: "denied", before: (gate) => gate.pause("home", true, ANN) },
  "a deny rule": { step: "deny_rule", says: "denied", opinion: rule("deny", "deny_rule") },
  "a remembered denial": {
    step: "remembered_denial",
    says: "denied",
    before: async (gate) => {
      const outcome = await submit(gate, "x");
      if (outcome.type === "pending") await gate.decide({ approvalId: outcome.approvalId, decision: "deny" }, ANN);
    },
  },
  "a person's always": {
    step: "always_confirm",
    says: "pending",
    before: setting({ tools: { "notes.add": { confirm: "always" } } }),
  },
  "a rule that always confirms": {
    step: "always_confirm",
    says: "pending",
    opinion: rule("confirm", "always_confirm"),
  },
  "the floor of R4": { step: "tier_floor", says: "pending", raise: "R4" },
  "a grant": {
    step: "grant",
    says: "ran",
    before: async (gate) => {
      const approvalId = pendingId(await submit(gate, "given"));
      const scope = { kind: "session", pins: [] } as const;
      await gate.decide({ approvalId, decision: "approve", scope }, ANN);
      await gate.resume(approvalId);
    },
  },
  "a confirm rule": { step: "confirm_rule", says: "pending", opinion: rule("confirm", "confirm_rule") },
  "Autonomous Mode": {
    step: "mode",
    says: "ran",
    before: (gate) => gate.updateSettings({ autonomous: { on: true, until: Date.now() + HOUR, ceiling: "R3" } }, ANN),
  },
  "an allow rule": { step: "allow_rule", says: "ran", opinion: rule("allow", "allow_rule") },
  "a person's on for the tool": {
    step: "tool_setting",
    says: "pending",
    before: setting({ tools: { "notes.add": { confirm: "on" } } }),
  },
  "a person's off for the tool": {
    step: "tool_setting",
    says: "ran",
    before: setting({ tools: { "notes.add": { confirm: "off" } } }),
  },
  "a person's on for the app": { step: "app_setting", says: "pending", before: setting({ apps: { notes: "on" } }) },
  "a person's off for the app": { step: "app_setting", says: "ran", before: setting({ apps: { notes: "off" } }) },
  "the tool's default to ask": { step: "tool_default", says: "pending", tool: { confirm: true } },
  "the tool's default not to ask": { step: "tool_default", says: "ran", tool: { confirm: false } },
  "the tier's default to ask": { step: "tier_default", says: "pending", raise: "R3" },
};

/** Both speak at one place, so that the two cannot be set at once. */
const EXCLUSIVE: readonly RegExp[] = [
  /person's .* for the tool|person's always/,
  /person's .* for the app/,
  /tool's default/,
];

const names = Object.keys(SPEAKERS);
const pairs = names.flatMap((stronger, index) =>
  names.slice(index + 1).flatMap((weaker) => {
    const impossible = EXCLUSIVE.some((place) => place.test(stronger) && place.test(weaker));
    return impossible ? [] : ([[stronger, weaker]] as const);
  }),
);

async function judged(speakers: readonly Speaker[], says: Verdict): Promise<string> {
  // Memory and grants come from calls made earlier, when nothing spoke but a rule that asks.
  let speaking = false;
  const opinions = speakers.flatMap((speaker) => speaker.opinion ?? []);
  const source: Source = async () => (speaking ? opinions : [rule("confirm", "confirm_rule")]);
  const analyser: Analyser = async () =>
    speaking && speakers.some((speaker) => speaker.raise === "R4")
      ? [{ source: "analyser", code: "found", riskTier: "R4", text: "found" }]
      : [];
  // Behind every pair stands the contrary of what is expected, so that nothing passes by default.
  const tier = says === "ran" || speakers.some((speaker) => speaker.raise === "R3") ? "R3" : "R1";
  const own = speakers.find((speaker) => speaker.tool !== undefined)?.tool;
  const { tool } = recorded(tier, own ?? (says === "ran" ? { confirm: true } : {}));
  const gate = newGate({ tools: [tool], sources: [source], analysers: [analyser] });
  // What needs an earlier question goes first; a pause would answer it.
  const order = (speaker: Speaker) => (speaker === SPEAKERS["a pause"] ? 2 : isSetting(speaker) ? 1 : 0);
  for (const speaker of [...speakers].sort((a, b) => order(a) - order(b))) await speaker.before?.(gate);
  speaking = true;
  return verdictOf(submit(gate, "x"));
}

function isSetting(speaker: Speaker): boolean {
  return speaker !== SPEAKERS["a grant"] && speaker !== SPEAKERS["a remembered denial"];
}

/** A grant given before the denial would let the call run that is to be denied. */
function inOrder(speakers: readonly Speaker[]): readonly Speaker[] {
  return [...speakers].sort((a, b) => Number(a === SPEAKERS["a grant"]) - Number(b === SPEAKERS["a grant"]));
}

describe("the precedence", () => {
  it.each(names)("%s speaks when nothing stronger does", async (name) => {
    const speaker = SPEAKERS[name] as Speaker;
    expect(await judged([speaker], speaker.says)).toBe(speaker.says);
  });

  it.each(pairs)("%s comes before %s", async (stronger, weaker) => {
    const [first, second] = [SPEAKERS[stronger] as Speaker, SPEAKERS[weaker] as Speaker];
    expect(await judged(inOrder([first, second]), first.says)).toBe(first.says);
  });

  it("has a speaker here for every step", () => {
    expect([...new Set(Object.values(SPEAKERS).map((speaker) => speaker.step))]).toEqual([...PRECEDENCE]);
  });
});
