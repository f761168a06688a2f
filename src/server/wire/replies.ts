import { z } from "zod";
import { UNCLEAR } from "../../core/reply-rules.js";
import { text } from "./common.js";

const unclear = z.enum(UNCLEAR);
const shownWords = z.array(z.string());
/** What a word may be is said by the gate, with a reason; here only what is absurd is kept out. */
const givenWords = z.array(text(200)).max(100);

export const replyRulesView = z
  .object({
    /** What this workspace has added. */
    approve: shownWords,
    deny: shownWords,
    /** Absent where it has not chosen. */
    unclear: unclear.optional(),
    /** What counts in every workspace of this server. */
    usual: z.object({ approve: shownWords, deny: shownWords, unclear }),
  })
  .meta({ id: "ReplyRules" });

/** Lists are replaced; what is left out stays; `null` goes back to what holds on the whole server. */
export const replyRulesPatch = z
  .strictObject({ approve: givenWords.optional(), deny: givenWords.optional(), unclear: unclear.nullable().optional() })
  .meta({ id: "ReplyRulesPatch" });
