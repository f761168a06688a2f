import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Person } from "../core/approval.js";
import type { Caller, ToolCall } from "../core/call.js";
import type { Card } from "../core/card/card.js";
import { inputPreview } from "../core/card/values.js";
import { toCountersignError } from "../core/errors.js";
import type { Gate } from "../core/gate.js";
import type { Outcome } from "../core/outcome.js";
import { wrap } from "../core/text/cells.js";
import { escapeText } from "../core/text/escape.js";
import type { Shown } from "../core/text/shown.js";
import { paint, type Style } from "../core/text/terminal.js";
import type { Locale } from "../core/tool.js";
import { wordsIn } from "../core/words/words.js";
import { createGate } from "../create-gate.js";
import { sqliteStore } from "../stores/sqlite.js";
import { type Answer, askLine, confirmAtTerminal } from "../terminal/prompt.js";
import { demoTools, HOSTILE_MAIL, noLargePayments, type Sent } from "./tools.js";
import { DEMO_WORDS } from "./words.js";

export interface Stage {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly isTTY: boolean;
  readonly width: number;
  readonly colour: boolean;
  readonly locale: Locale;
  /** One JSON object per line instead of words and questions. */
  readonly json: boolean;
}

const CALLER: Caller = { userId: "you", workspaceId: "demo", sessionId: "demo", agentId: "assistant" };
const PERSON: Person = { kind: "person", userId: "you", workspaceId: "demo" };

const CALLS: readonly { readonly says: "listing" | "sending" | "paying"; readonly call: ToolCall }[] = [
  { says: "listing", call: { tool: "contacts.list" } },
  {
    says: "sending",
    call: { tool: "mail.send", args: HOSTILE_MAIL, confidence: 0.9, summary: "Sends Ann the invoice she asked for." },
  },
  { says: "paying", call: { tool: "bank.pay", args: { amount: 250, payee: "ACME" }, confidence: 0.99 } },
];

/** Plays the three calls. Gives the exit code: 0 when the chain holds. */
export async function play(stage: Stage): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-demo-"));
  const outbox: Sent[] = [];
  const gate = createGate({
    store: sqliteStore(join(folder, "demo.db")),
    tools: demoTools(outbox),
    sources: [noLargePayments],
  });
  try {
    const words = DEMO_WORDS[stage.locale];
    tell(stage, words.intro);
    for (const { says, call } of CALLS) {
      tell(stage, words[says], "accent");
      const outcome = await pass(gate, call, stage);
      report(stage, call, outcome);
    }
    return await closing(gate, stage, outbox);
  } finally {
    await gate.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function pass(gate: Gate, call: ToolCall, stage: Stage): Promise<Outcome> {
  const submitted = await gate.submit(call, CALLER);
  if (submitted.type !== "pending") return submitted;
  const { approvalId } = submitted;
  const card = await gate.card(approvalId, PERSON, stage.locale);
  if (card === undefined) return submitted;
  if (stage.json)
    write(stage, { card: { humanSummary: card.humanSummary, input: inputPreview(card), ...risky(card) } });
  await decide(gate, card, stage);
  return gate.resume(approvalId, CALLER, { deadline: 30_000 });
}

function risky({ riskTier, arguments: args }: Card): { readonly riskTier: string; readonly notices: readonly Shown[] } {
  return { riskTier, notices: args.flatMap(({ value }) => value.notices.map(({ text }) => text)) };
}

interface Seen {
  readonly card: Card;
  /** The arguments it was drafted with, when a person changed them. */
  readonly args?: typeof HOSTILE_MAIL;
}

/** Only an answer denies; where nobody could give one, the agent's side has withdrawn. */
function endOf(answer: Exclude<Answer, { type: "offer" }>): "approved" | "denied" | "cancelled" {
  if (answer.type === "approve") return "approved";
  return answer.why === "answered" ? "denied" : "cancelled";
}

/** Asks until there is an answer; a changed recipient is shown as a new card, with the difference, and asked about again. */
async function decide(gate: Gate, first: Card, stage: Stage): Promise<void> {
  const { approvalId } = first;
  let shown: Seen = { card: first };
  for (;;) {
    const answer = await ask(shown.card, stage);
    if (answer.type !== "offer") {
      await settle(gate, answer, first, shown);
      tell(stage, wordsIn(stage.locale)[endOf(answer)]);
      return;
    }
    const to = await askLine(DEMO_WORDS[stage.locale].newRecipient, stage);
    if (to === undefined) continue;
    const args = { ...HOSTILE_MAIL, to };
    try {
      const card = await gate.draft(approvalId, args, PERSON, stage.locale);
      if (card !== undefined) shown = { card, args };
    } catch (error) {
      tell(stage, DEMO_WORDS[stage.locale].notAccepted(escapeText(toCountersignError(error).message)));
    }
  }
}

/** What a person refuses is the call as it stands; an edit that was only looked at is gone. Nobody there is not a person's no. */
async function settle(gate: Gate, answer: Exclude<Answer, { type: "offer" }>, first: Card, seen: Seen): Promise<void> {
  const { approvalId, toolCallHash } = first;
  if (answer.type === "approve") {
    const { cardHash } = seen.card;
    const args = seen.args === undefined ? {} : { args: seen.args };
    await gate.decide({ approvalId, decision: "approve", toolCallHash, cardHash, ...args }, PERSON);
  } else if (answer.why === "answered") {
    await gate.decide({ approvalId, decision: "deny", toolCallHash, cardHash: first.cardHash }, PERSON);
  } else {
    await gate.cancel({ approvalId }, CALLER, "nobody was there to answer");
  }
}

function ask(card: Card, stage: Stage): Promise<Answer> {
  if (stage.json) return Promise.resolve({ type: "deny", why: "no_terminal" });
  return confirmAtTerminal(card, { ...stage, offers: { e: DEMO_WORDS[stage.locale].offerEdit } });
}

function report(stage: Stage, call: ToolCall, outcome: Outcome): void {
  if (stage.json)
    write(stage, { tool: call.tool, type: outcome.type, code: outcome.code ?? null, message: outcome.message });
  else tell(stage, DEMO_WORDS[stage.locale].agentTold(escapeText(outcome.type), escapeText(outcome.message)));
}

async function closing(gate: Gate, stage: Stage, outbox: readonly Sent[]): Promise<number> {
  const words = DEMO_WORDS[stage.locale];
  const chain = await gate.verify(CALLER.workspaceId);
  if (stage.json) write(stage, { verified: chain.ok, entries: chain.seq, sent: outbox.length });
  else tell(stage, chain.ok ? words.verified(chain.seq) : words.broken(chain.seq, escapeText(chain.problem)), "bold");
  return chain.ok ? 0 : 1;
}

function tell(stage: Stage, text: Shown, style?: Style): void {
  if (stage.json) return;
  const lines = wrap(text, stage.width).map((line) =>
    paint([style === undefined ? line : { text: line, style }], stage),
  );
  stage.output.write(`\n${lines.join("\n")}\n`);
}

function write(stage: Stage, line: object): void {
  stage.output.write(`${JSON.stringify(line)}\n`);
}
