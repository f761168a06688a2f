import type { DecidedView } from "../../client/wire.js";
import { atLeast } from "../../core/risk.js";
import { confirmAtTerminal, renderCardText } from "../../terminal/index.js";
import { type Api, refusal } from "../api.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { findQuestion, pendingQuestions, type Question, timeLeft } from "../questions.js";
import { signedIn } from "../signed-in.js";

/** Looking and answering from a terminal. */
export function approvalCommands({ program, run }: Frame): void {
  program
    .command("pending")
    .description("what waits for you")
    .action(
      run(async (console, options) => {
        const waiting = await pendingQuestions(signedIn(console, options), console.locale);
        console.answer(waiting, () =>
          waiting.length === 0 ? "Nothing waits for you." : waiting.map((question) => lineOf(question, Date.now())),
        );
        return EXIT.ok;
      }),
    );
  program
    .command("show <approval>")
    .description("one approval, by its id or the code on its card")
    .option("--details", "with the canonical call as JSON")
    .action(
      run(async (console, options, named = "") => {
        const question = await findQuestion(signedIn(console, options), named, console.locale);
        const details = Boolean(options["details"]);
        console.answer(question, () => [
          renderCardText(question.card, { ...drawing(console), details }).trimEnd(),
          ...(question.state === "pending" ? [] : [`Not waiting any more: ${question.state}.`]),
        ]);
        return EXIT.ok;
      }),
    );
  program
    .command("approve <approval>")
    .description("look at it and say yes; above “Sensitive” this opens the way to the browser")
    .action(run((console, options, named = "") => approve(console, signedIn(console, options), named)));
  program
    .command("deny <approval>")
    .description("say no")
    .option("--reason <text>", "why; the agent is told")
    .action(
      run(async (console, options, named = "") => {
        const api = signedIn(console, options);
        const question = await findQuestion(api, named, console.locale);
        const { reason } = options;
        const decided = await decide(api, question, "deny", reason);
        console.answer(decided, () => "Denied. Nothing ran.");
        return EXIT.ok;
      }),
    );
}

/** A yes takes a person who has seen the card: without a terminal there is none, and the answer stays open. */
async function approve(console: Console, api: Api, named: string): Promise<number> {
  const question = await findQuestion(api, named, console.locale);
  if (question.state !== "pending") {
    console.answer(question, () => `Not waiting any more: ${question.state}.`);
    return EXIT.failed;
  }
  if (atLeast(question.riskTier, "R3")) return openBrowser(console, api, question);
  if (!console.isTTY) {
    throw refusal("not_approved", "Approving takes a person at a terminal. Nothing was decided.");
  }
  const { stdin, stdout, stderr } = console.process;
  const said = await confirmAtTerminal(question.card, {
    input: stdin,
    output: console.json ? stderr : stdout,
    isTTY: true,
    ...drawing(console),
  });
  if (said.type !== "approve") {
    const no = `Not approved. It still waits; to say no: countersign deny ${question.card.code}`;
    throw refusal("not_approved", no);
  }
  const decided = await decide(api, question, "approve");
  console.answer(decided, () => approvedIn(decided.state));
  return EXIT.ok;
}

/** What the yes came to, by the state that it left behind. */
function approvedIn(state: DecidedView["state"]): string {
  if (state === "pending") return "Your yes counts. It waits for others to say theirs.";
  return state === "approved" ? "Approved. Whoever asked may run it now, once." : `Approved, and ${state}.`;
}

/** A program can drive a terminal: what leaves this place or cannot be undone is decided where a person is proven. */
function openBrowser(console: Console, api: Api, { approvalId, riskTier, card }: Question): number {
  const url = `${api.url}/approvals/${approvalId}`;
  console.answer({ approvalId, riskTier, open: url }, () => `“${card.risk.word}” is decided in the browser: ${url}`);
  return EXIT.pending;
}

export function decide(
  api: Api,
  question: Question,
  decision: "approve" | "deny",
  reason?: string,
): Promise<DecidedView> {
  const { approvalId, card } = question;
  return api.post<DecidedView>(`/v1/approvals/${approvalId}/decision`, {
    decision,
    toolCallHash: card.toolCallHash,
    cardHash: card.cardHash,
    ...(reason === undefined ? {} : { reason }),
  });
}

export function drawing(console: Console): { readonly width: number; readonly colour: boolean } {
  return { width: console.width, colour: console.colour };
}

export function lineOf({ card, expiresAt }: Question, now: number): string {
  const about = `${card.risk.word}, ${timeLeft(expiresAt, now)}`;
  return `${card.risk.shape} ${card.code}  ${card.humanSummary}  (${about})  ${card.asks}`;
}
