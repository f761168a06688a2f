import type { JsonObject } from "countersign";
import { findDate, type Moment } from "../language/dates.js";
import { cleanTitle, normalise } from "../language/text.js";
import type { HeldCall } from "./held-calls.js";

const CHANGES =
  /^(?:(?:wait|no|actually|oh|hmm|sorry)[,.!]?\s+)*(?:please )?(?:change|make|move|set|reschedule|rename) (?:it|that|this)(?: to| for| until)?\s+(?<what>.+)$|^(?:等等|等一下|不对)?[,，]?\s*(?:(?:把它|它)?(?:改到|改成|改为|换成|推迟到))(?<whatZh>.+)$/is;

/** "Change it to Friday", said of a task that waits: the same call with another date or title. Undefined when it is none. */
export function amended(
  message: string,
  waiting: readonly HeldCall[],
  moment: Moment,
): { readonly call: HeldCall; readonly args: JsonObject } | undefined {
  const groups = CHANGES.exec(normalise(message))?.groups;
  const what = groups?.["what"] ?? groups?.["whatZh"];
  const call = waiting.filter(({ tool }) => tool === "tasks.create").at(-1);
  if (what === undefined || call === undefined) return undefined;
  const date = findDate(what, moment);
  if (date !== undefined && date.value !== "") return { call, args: { ...call.args, dueAt: date.value } };
  const title = cleanTitle(what);
  return title === "" ? undefined : { call, args: { ...call.args, title } };
}
