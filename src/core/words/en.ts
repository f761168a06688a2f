import { type Shown, shown } from "../text/shown.js";
import type { Words } from "./words.js";

const VERBS: Readonly<Record<string, Shown>> = {
  create: shown`creates`,
  update: shown`changes`,
  delete: shown`deletes`,
  send: shown`sends`,
  spend: shown`spends`,
  read: shown`reads`,
};

export const en: Words = {
  asks: (agent, person) => shown`${agent}, for ${person}, asks`,
  through: (agents) => shown`by way of ${agents}`,
  until: (time) => shown`until ${time}`,
  act: (title) => shown`${title}?`,
  run: (tool) => shown`Run ${tool}?`,
  risk: {
    R0: shown`Looks only`,
    R1: shown`Can be undone`,
    R2: shown`Sensitive`,
    R3: shown`Leaves this place`,
    R4: shown`Cannot be undone`,
  },
  effect: (kind, count, one, noun) => {
    const verb = Object.hasOwn(VERBS, kind) ? VERBS[kind] : undefined;
    return shown`${verb ?? shown`${kind}:`} ${count} ${one ? noun : plural(noun)}`;
  },
  samples: (count) => shown`${count} shown`,
  beforeAfter: (before, after) => shown`before: ${before}, after: ${after}`,
  reason: ({ text }) => text,
  notice: ({ text }) => text,
  marker: (marker) => marker,

  arguments: (values, bytes) =>
    shown`Arguments (${values} ${values === 1 ? shown`value` : shown`values`}, ${bytes} bytes)`,
  effects: shown`What it would do`,
  targets: shown`Touches`,
  why: shown`Why it asks`,
  undo: shown`To undo it`,
  changedByPerson: shown`Changed by a person`,
  changedSincePlan: shown`Changed since the earlier plan`,
  changedSinceShown: shown`It would do something else now than when it was shown`,
  alternatives: shown`It could do this instead`,
  exactCall: shown`The exact call, SHA-256`,
  agentSays: shown`The agent says (not checked)`,
  quorum: (votes, needed, who) => shown`${votes} of ${needed} have approved${who === "" ? who : shown`: ${who}`}`,
  noArguments: shown`None`,
  emptyList: shown`⟨empty list⟩`,
  emptyObject: shown`⟨empty object⟩`,
  added: shown`added`,
  removed: shown`removed`,
  wholeValue: shown`the whole value`,

  askYes: shown`Type y or yes to approve; anything else refuses:`,
  askFullYes: shown`Type the word yes in full to approve; anything else refuses:`,
  askCode: (code) => shown`It cannot be undone. Type ${code} to approve; anything else refuses:`,
  askCountOrCode: (count, code) =>
    shown`It cannot be undone. Type the count, ${count}, or ${code} to approve; anything else refuses:`,
  noTerminal: shown`Nobody can answer here: this is not a terminal. Refused.`,
  noAnswer: shown`The input ended without an answer. Refused.`,
  approved: shown`Approved. Running…`,
  denied: shown`Denied. Nothing ran.`,
  cancelled: shown`Withdrawn by the requester. Nothing ran.`,
  yes: ["y", "yes"],
  fullYes: ["yes"],
};

/** Regular nouns only; a noun that already ends in s stays. */
function plural(noun: Shown): Shown {
  if (/[^aeiou]y$/.test(noun)) return shown`${noun.slice(0, -1) as Shown}ies`;
  if (/(?:x|ch|sh)$/.test(noun)) return shown`${noun}es`;
  return /[a-z]$/.test(noun) && !noun.endsWith("s") ? shown`${noun}s` : noun;
}
