// How long a policy takes to judge one call, and to load. Prints medians; run it on an otherwise idle machine.
import { defineTool } from "../dist/index.js";
import { definePolicy, policyAnalyser, policySource } from "../dist/policy/index.js";

const CALLER = { userId: "ann", workspaceId: "home", sessionId: "s1", agentId: "helper" };
const tool = defineTool({ name: "bank.transfer", effect: "write", riskTier: "R3" });
const args = { amount: 250, currency: "EUR", to: ["rent@example.com", "power@example.com"], note: "November" };
const call = { tool: tool.name, args, confidence: 0.9 };
const classification = /** @type {import("../dist/index.js").Classification} */ ({
  effect: "write",
  riskTier: "R3",
  reasons: [],
  lowConfidence: false,
  confident: true,
});

/**
 * The shapes that rules have in practice; each number makes its own tool, amount or hour.
 * @type {Record<string, (n: number) => string>}
 */
const SHAPES = {
  "by tool": (n) => `tool == "app${n}.act" && args.amount > ${n}`,
  "by amount": (n) => `has(args.amount) && args.amount > ${n + 1000} && riskTier >= "R2"`,
  "by pattern": (n) => `has(args.note) && args.note.re("^(December|${n})$")`,
  "by list": (n) => `has(args.to) && args.to.exists(to, to.endsWith("@bank${n}.example"))`,
  "by time": (n) => `time.hour > 22 && time.minute == ${n % 60} && agent.id == "agent${n}"`,
};

const EFFECTS = /** @type {const} */ (["deny", "confirm", "allow"]);

/** @param {number} count @param {((n: number) => string)[]} shapes */
function rulesOf(count, shapes) {
  return Array.from({ length: count }, (_, n) => ({
    id: `rule-${n}`,
    when: shapes[n % shapes.length]?.(n) ?? "",
    effect: EFFECTS[n % 3] ?? "deny",
  }));
}

/** Microseconds. @param {() => Promise<void>} run @param {number} rounds */
async function medianOf(run, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return (times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0) * 1_000;
}

const rows = [];
const kinds = [
  { shape: "mixed", shapes: Object.values(SHAPES) },
  ...Object.entries(SHAPES).map(([shape, one]) => ({ shape, shapes: [one] })),
];
for (const count of [20, 1_000]) {
  for (const { shape, shapes } of kinds) {
    const started = performance.now();
    const policy = definePolicy({ version: 1, rules: rulesOf(count, shapes) });
    const load = performance.now() - started;
    const source = policySource(() => policy);
    const analyse = policyAnalyser(() => policy);
    const judge = async () => {
      await analyse({ tool, args, call, caller: CALLER });
      await source({ tool, args, classification, call, caller: CALLER });
    };
    await medianOf(judge, 200);
    const judged = await medianOf(judge, count > 100 ? 1_000 : 20_000);
    rows.push({ rules: count, shape, "judge µs": Number(judged.toFixed(1)), "load ms": Number(load.toFixed(1)) });
  }
}
console.table(rows);
