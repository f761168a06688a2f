import type { Person } from "./approval.js";
import { newEntry } from "./audit.js";
import { checkReplyWords } from "./check-reply-words.js";
import type { Engine } from "./engine.js";
import { CountersignError } from "./errors.js";
import { newId } from "./ids.js";
import { counterKey } from "./judging/budgets.js";
import { normaliseReply, type ReplyWords } from "./read-reply.js";
import { memberOf } from "./vouch.js";

/** What a message that is neither yes nor no does: it leaves the question open, or it cancels it, as seed E has it. */
export const UNCLEAR = ["ask", "cancel"] as const;
export type Unclear = (typeof UNCLEAR)[number];

/** How answers in words are read. */
export interface ReplyRules {
  /** Besides the words that everybody knows. */
  readonly words: Readonly<Required<ReplyWords>>;
  readonly unclear: Unclear;
}

/** What a workspace has said about it; what it has not said is as on the whole server. */
export interface OwnReplyRules extends Readonly<Required<ReplyWords>> {
  readonly unclear?: Unclear;
}

/** Lists are replaced; what is left out stays; `null` goes back to what holds on the whole server. */
export interface ReplyRulesPatch extends ReplyWords {
  readonly unclear?: Unclear | null;
}

export const NO_REPLY_RULES: ReplyRules = { words: { approve: [], deny: [] }, unclear: "ask" };

function rulesId(workspaceId: string): string {
  return counterKey("replies", workspaceId);
}

/** What the workspace itself has said. */
export async function ownReplyRulesOf(
  { store }: Pick<Engine, "store">,
  workspaceId: string,
): Promise<{ readonly own: OwnReplyRules; readonly version: number }> {
  const record = await store.get("setting", rulesId(workspaceId));
  if (record === undefined) return { own: { approve: [], deny: [] }, version: 0 };
  const { approve, deny, unclear } = JSON.parse(record.value) as OwnReplyRules;
  // A word nobody knows here, as after a downgrade, reads answers as strictly as can be.
  const known = unclear === undefined || UNCLEAR.includes(unclear) ? unclear : "cancel";
  return { own: { approve, deny, ...(known === undefined ? {} : { unclear: known }) }, version: record.version };
}

/** Both together. A word that refuses on either side refuses. */
export function mergedReplyRules({ words, unclear }: ReplyRules, own: OwnReplyRules): ReplyRules {
  const both = (kind: keyof ReplyWords) => distinct([...words[kind], ...own[kind]]);
  const deny = both("deny");
  return {
    words: { approve: both("approve").filter((word) => !deny.includes(word)), deny },
    unclear: own.unclear ?? unclear,
  };
}

/** For owners. More words that approve, fewer that deny and more patience with unclear ones are a weakening. */
export async function changeReplyRules(
  engine: Engine,
  patch: ReplyRulesPatch,
  person: Person,
  usual: ReplyRules,
): Promise<OwnReplyRules> {
  const { workspaceId, userId, roles = [] } = await memberOf(engine, person);
  if (engine.people !== undefined && !roles.includes("owner"))
    throw new CountersignError("not_permitted", "How answers are read is the owner's word.");
  for (;;) {
    const { own: before, version } = await ownReplyRulesOf(engine, workspaceId);
    const after = patched(before, patch, usual);
    const weaker = weakerParts(mergedReplyRules(usual, before), mergedReplyRules(usual, after));
    if (weaker.length > 0) await engine.weaken?.(person, "replies.changed");
    const applied = await engine.grouper.commit({
      changeId: newId(),
      workspaceId,
      puts: [{ kind: "setting", id: rulesId(workspaceId), version, value: JSON.stringify({ workspaceId, ...after }) }],
      entries: [
        newEntry("replies.changed", "", {
          by: userId,
          ...after,
          ...(weaker.length > 0 ? { weakening: true, weaker } : {}),
        }),
      ],
    });
    if (applied.ok) return after;
    if (applied.refused !== "version")
      throw new CountersignError("store_failed", `The words were not changed: ${applied.refused}.`);
  }
}

function patched(before: OwnReplyRules, patch: ReplyRulesPatch, usual: ReplyRules): OwnReplyRules {
  const words = { approve: patch.approve ?? before.approve, deny: patch.deny ?? before.deny };
  checkReplyWords(words, usual.words);
  const unclear = patch.unclear === undefined ? before.unclear : (patch.unclear ?? undefined);
  if (unclear !== undefined && !UNCLEAR.includes(unclear))
    throw new CountersignError("invalid_request", `"unclear" is one of ${UNCLEAR.join(", ")}.`);
  return {
    approve: distinct(words.approve),
    deny: distinct(words.deny),
    ...(unclear === undefined ? {} : { unclear }),
  };
}

function weakerParts(before: ReplyRules, after: ReplyRules): readonly string[] {
  return [
    ...(after.words.approve.some((word) => !before.words.approve.includes(word)) ? ["approve"] : []),
    // A no that is not understood any more may even become a yes.
    ...(before.words.deny.some((word) => !after.words.deny.includes(word)) ? ["deny"] : []),
    ...(before.unclear === "cancel" && after.unclear === "ask" ? ["unclear"] : []),
  ];
}

/** As they are recognised, so that a prompt names what works. */
function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words.map(normaliseReply))];
}
