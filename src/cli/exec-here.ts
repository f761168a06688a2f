import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { contentAnalyser } from "../analysers/index.js";
import { loadConfig } from "../config/load.js";
import { openStateFolder } from "../config/state-folder.js";
import type { Person } from "../core/approval.js";
import type { Caller } from "../core/call.js";
import type { Card } from "../core/card/card.js";
import type { Gate } from "../core/gate.js";
import { newId } from "../core/ids.js";
import type { Outcome } from "../core/outcome.js";
import { atLeast } from "../core/risk.js";
import { createGate } from "../create-gate.js";
import { gatePolicy, loadPolicy } from "../policy/index.js";
import { createRetention } from "../proof/index.js";
import { sqliteStore } from "../stores/sqlite.js";
import { type Answer, confirmAtTerminal } from "../terminal/index.js";
import { drawing } from "./commands/approvals.js";
import type { Console } from "./console.js";
import { type Ran, shellCall, shellTool } from "./shell-tool.js";

const WORKSPACE = "local";
/** No folder of the agent's: what was asked and answered stays provable beside what a server would keep. */
const FILE = "terminal.db";

/** How a question at this terminal ended; `more` is one that a terminal may not answer. */
export type Here =
  | { readonly type: "told"; readonly outcome: Outcome }
  | { readonly type: "more"; readonly card: Card };

interface Run {
  readonly session: string | undefined;
  readonly ran: Ran;
  /** Aborted by whoever leaves: a question that is still open then is withdrawn. */
  readonly signal: AbortSignal;
}

/**
 * Gates one command without a server: the same engine, policy and log, and the person at this terminal is the approver. What
 * a terminal's yes does not reach (above R2, since a program can drive a terminal) is withdrawn and handed back as `more`.
 */
export async function execHere(console: Console, words: readonly string[], run: Run): Promise<Here> {
  const { session, ran, signal } = run;
  const { config } = loadConfig({ environment: console.process.env, flags: {} });
  const store = sqliteStore(join(openStateFolder(config.data), FILE));
  const policy = config.policy ?? join(config.data, "countersign.policy.yaml");
  const gate = createGate({
    store,
    tools: [shellTool(ran)],
    analysers: [contentAnalyser()],
    limits: { ttl: config.ttl },
    // Whoever sits here is connected: the time for those who are away does not apply.
    online: () => true,
    ...(config.policy !== undefined || existsSync(policy) ? gatePolicy(loadPolicy(policy)) : {}),
  });
  const retention = createRetention({ store, level: config.privacy, workspaces: [WORKSPACE] });
  try {
    const { username: userId } = userInfo();
    const caller = { userId, workspaceId: WORKSPACE, sessionId: session ?? newId(), agentId: "terminal" };
    const asked = await gate.submit(shellCall(words, process.cwd()), caller);
    const told = asked.type === "pending" ? await answer(console, gate, { ...asked, caller, signal }) : asked;
    await retention.sweep();
    return "card" in told ? { type: "more", card: told.card } : { type: "told", outcome: told };
  } finally {
    retention.close();
    await gate.close();
  }
}

/** Puts the question to whoever sits here. Whatever happens, nothing is left open that nobody would ever answer. */
async function answer(
  console: Console,
  gate: Gate,
  { approvalId, caller, signal }: { approvalId: string; caller: Caller; signal: AbortSignal },
): Promise<Outcome | { readonly card: Card }> {
  const person: Person = { kind: "person", userId: caller.userId, workspaceId: WORKSPACE };
  const withdraw = (why: string) => gate.cancel({ approvalId }, caller, why);
  try {
    const card = await gate.card(approvalId, person, console.locale);
    if (card === undefined) return await withdraw("what was asked is not kept");
    if (atLeast(card.riskTier, "R3") || card.quorum > 1) {
      await withdraw("a terminal may not answer this");
      return { card };
    }
    const said = await ask(console, card, signal);
    if (signal.aborted || (said.type === "deny" && said.why !== "answered"))
      return await withdraw("nobody was there to answer");
    const decision = said.type === "approve" ? "approve" : "deny";
    const { toolCallHash, cardHash } = card;
    await gate.decide({ approvalId, decision, toolCallHash, cardHash }, person);
    return await gate.resume(approvalId, caller, { signal: new AbortController().signal });
  } catch (error) {
    await withdraw("it could not be answered").catch(() => undefined);
    throw error;
  }
}

/** On standard error: standard output is the command's own, also when it is piped on. Who leaves ends the input. */
async function ask(console: Console, card: Card, signal: AbortSignal): Promise<Answer> {
  const { stdin, stderr } = console.process;
  const isTTY = stdin.isTTY === true && stderr.isTTY === true;
  const leave = () => void stdin.destroy();
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  try {
    return await confirmAtTerminal(card, { input: stdin, output: stderr, isTTY, ...drawing(console) });
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
