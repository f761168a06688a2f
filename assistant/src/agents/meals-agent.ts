import { findDate } from "../language/dates.js";
import { orderOf } from "../language/speech.js";
import { cleanTitle } from "../language/text.js";
import { withoutDate } from "../language/title.js";
import { type Agent, STATED } from "./agent.js";

const PLANS =
  /^(?:plan|add)\s+(?:an?|the)?\s*(?:meal|dinner|lunch|breakfast)\s*:?\s*(?:of|with)?\s*(?<what>.+)$|^meal\s*:\s*(?<what2>.+)$|^(?:计划|安排)(?<meal>早餐|早饭|午餐|午饭|晚餐|晚饭)[:,，\s吃]*(?<whatZh>.+)$/is;
const ASKS =
  /\bwhat'?s for (?:dinner|lunch|breakfast)\b|\bmeal plan\b|^(?:查看|看看)(?:菜单|餐单|三餐)|(?:今天|今晚|明天|晚饭|午饭)吃什么/i;

/** Meals are notes whose title says for which day. */
export const mealsAgent: Agent = {
  domain: "meals",
  plan({ text, moment, locale }) {
    const groups = PLANS.exec(orderOf(text))?.groups;
    const what = groups?.["what"] ?? groups?.["what2"] ?? groups?.["whatZh"];
    if (what !== undefined) {
      const date = findDate(what, moment);
      const name = cleanTitle(withoutDate(what, date));
      const day = date === undefined || date.value === "" ? "" : ` (${date.value.slice(0, 10)})`;
      const title = `${locale === "zh" ? "餐食" : "Meal"}: ${name}${day}`;
      const confidence = date === undefined || date.certain ? STATED : 0.76;
      return { type: "call", domain: "meals", tool: "note-create", args: { title }, confidence };
    }
    return ASKS.test(text)
      ? { type: "call", domain: "meals", tool: "note-list", args: {}, confidence: STATED }
      : undefined;
  },
};
