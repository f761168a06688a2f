import type { Command } from "commander";
import type { ReplyRulesView } from "../../client/index.js";
import { CountersignError } from "../../core/errors.js";
import { normaliseReply } from "../../core/read-reply.js";
import type { ReplyRulesPatch, Unclear } from "../../core/reply-rules.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { signedIn } from "../signed-in.js";

interface WordOptions {
  readonly approve?: readonly string[];
  readonly deny?: readonly string[];
  readonly remove?: readonly string[];
  readonly unclear?: string;
}

/** How answers in chats are read. A terminal makes that stricter; words that say yes are added in the browser. */
export function replyWordsCommand(channels: Command, run: Frame["run"]): void {
  channels
    .command("words")
    .description("the words that say yes and no in chats of this workspace, and what any other answer does")
    .option("--deny <word...>", "add words that say no")
    .option("--approve <word...>", "add words that say yes; the server asks for your passkey, so do it in the browser")
    .option("--remove <word...>", "take words back")
    .option("--unclear <what>", "what any other answer does: ask, cancel, or server (as on the whole server)")
    .action(
      run(async (console, options) => {
        const { replies } = signedIn(console, options);
        const given = options as unknown as WordOptions;
        const before = await replies.get();
        const patch = patchOf(before, given);
        const rules = Object.keys(patch).length === 0 ? before : await replies.change(patch);
        console.answer(rules, () => lines(rules));
        return EXIT.ok;
      }),
    );
}

function patchOf(before: ReplyRulesView, { approve = [], deny = [], remove = [], unclear }: WordOptions) {
  const gone = remove.map(normaliseReply);
  const unknown = gone.find((word) => ![...before.approve, ...before.deny].includes(word));
  if (unknown !== undefined) {
    throw new CountersignError("invalid_request", `"${unknown}" is no word of this workspace.`);
  }
  const next = (kind: "approve" | "deny", more: readonly string[]) => [
    ...before[kind].filter((word) => !gone.includes(word)),
    ...more,
  ];
  const touches = (kind: "approve" | "deny") => before[kind].some((word) => gone.includes(word));
  return {
    ...(approve.length > 0 || touches("approve") ? { approve: next("approve", approve) } : {}),
    ...(deny.length > 0 || touches("deny") ? { deny: next("deny", deny) } : {}),
    // What the server does not know it refuses, and names what there is.
    ...(unclear === undefined ? {} : { unclear: unclear === "server" ? null : (unclear as Unclear) }),
  } satisfies ReplyRulesPatch;
}

function lines({ approve, deny, unclear, usual }: ReplyRulesView): readonly string[] {
  const own = (words: readonly string[]) => (words.length === 0 ? "–" : words.join(", "));
  return [
    `yes: ${own(approve)}   (everywhere: ${usual.approve.join(", ")})`,
    `no: ${own(deny)}   (everywhere: ${usual.deny.join(", ")})`,
    `any other answer: ${(unclear ?? usual.unclear) === "cancel" ? "cancels" : "leaves the question open"}`,
  ];
}
