import type { Apps } from "../apps/apps.js";
import { asksForHelp } from "../language/about-assistant.js";
import { isNegated, isQuestion, takesBack } from "../language/speech.js";
import { splitMessage } from "../language/split.js";
import { normalise } from "../language/text.js";
import { wordsIn } from "../words/words.js";
import type { Agent, Domain, Plan, Turn } from "./agent.js";
import { calendarAgent } from "./calendar-agent.js";
import { dataAgent } from "./data-agent.js";
import { emailAgent } from "./email-agent.js";
import { filesAgent } from "./files-agent.js";
import { listsAgent } from "./lists-agent.js";
import { mealsAgent } from "./meals-agent.js";
import { notesAgent } from "./notes-agent.js";
import { isExplicitTask, tasksAgent } from "./tasks-agent.js";
import { webAgent } from "./web-agent.js";

/** The tasks come last: their words ("I need to …") catch what nobody else recognises. */
const AGENTS: readonly Agent[] = [
  dataAgent,
  emailAgent,
  filesAgent,
  webAgent,
  mealsAgent,
  calendarAgent,
  listsAgent,
  notesAgent,
  tasksAgent,
];

/**
 * The plans for a message, one for each order in it. Where anything in it says no, no order of it is carried out: who says both
 * is asked to say it again.
 */
export function planMessage(turn: Turn, apps: Apps, hint?: Domain): readonly Plan[] {
  const message = normalise(turn.text);
  if (takesBack(message)) return [{ type: "refuse", domain: "unknown" }];
  if (asksForHelp(message)) return [{ type: "say", domain: "unknown", text: wordsIn(turn.locale).help }];
  const plans = splitMessage(message).map((text) => planSentence({ ...turn, text }, apps, hint));
  const refusal = plans.find((plan) => plan.type === "refuse");
  if (refusal === undefined) return withoutSmallTalk(plans);
  const orders = plans.filter((plan) => plan.type === "call");
  if (orders.length === 0) return [refusal];
  return [refusal, { type: "say", domain: refusal.domain, text: wordsIn(turn.locale).refusedBoth }];
}

function planSentence(turn: Turn, apps: Apps, hint: Domain | undefined): Plan {
  const plan = agentsFor(turn, hint).reduce<Plan | undefined>(
    (found, agent) => found ?? agent.plan(turn, apps),
    undefined,
  );
  if (plan !== undefined) return plan;
  if (isNegated(turn.text)) return { type: "refuse", domain: "unknown" };
  const words = wordsIn(turn.locale);
  return {
    type: "say",
    domain: "unknown",
    text: isQuestion(turn.text) ? `${words.noAnswer} ${words.help}` : words.help,
  };
}

/** The hinted agent is asked first. What orders a task outright is a task's, whatever its title speaks of. */
function agentsFor(turn: Turn, hint: Domain | undefined): readonly Agent[] {
  if (isExplicitTask(turn) && (hint === undefined || hint === "tasks")) return [tasksAgent];
  const hinted = AGENTS.filter((agent) => agent.domain === hint);
  return [...hinted, ...AGENTS.filter((agent) => !hinted.includes(agent))];
}

/** "Hi! Add a task: …" is an order; that the greeting was none needs no saying. */
function withoutSmallTalk(plans: readonly Plan[]): readonly Plan[] {
  const useful = plans.filter((plan) => plan.type !== "say" || plan.domain !== "unknown");
  return useful.length > 0 ? useful : plans.slice(0, 1);
}
